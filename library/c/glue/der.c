/* Signatures in DER: two numbers in a sequence that has fewer than 256 bytes. RFC 3279, section 2.2.3; X.690. */

/* Bytes that are still to be read. */
struct der {
    const uint8_t *bytes;
    size_t length;
};

/* DER_LONG is before a length that does not fit 7 bits and fits one byte: X.690, section 8.1.3.5. */
enum { DER_INTEGER = 0x02, DER_SEQUENCE = 0x30, DER_LONG = 0x81 };

/* Reads the first bytes of an element, which are its tag and the number of bytes of its content. */
static int read_element(struct der *der, uint8_t tag, size_t *length)
{
    size_t header = 2;
    if (der->length < header || der->bytes[0] != tag)
        return -1;
    if (der->bytes[1] == DER_LONG) {
        header = 3;
        if (der->length < header || der->bytes[2] < 0x80)
            return -1;
    } else if (der->bytes[1] >= 0x80) {
        return -1;
    }
    *length = der->bytes[header - 1];
    der->bytes += header;
    der->length -= header;
    return *length <= der->length ? 0 : -1;
}

/* Reads an integer that is not negative, in the fewest bytes, to a number of `size` bytes. A byte of zeros comes first only where the highest
 * bit would say that the integer is negative. */
static int read_number(struct der *der, uint8_t *number, size_t size)
{
    const uint8_t *content;
    size_t length;
    if (read_element(der, DER_INTEGER, &length) != 0 || length == 0)
        return -1;
    content = der->bytes;
    der->bytes += length;
    der->length -= length;
    if (content[0] >= 0x80)
        return -1;
    if (content[0] == 0 && length > 1) {
        content++;
        length--;
        if (content[0] < 0x80)
            return -1;
    }
    if (length > size)
        return -1;
    memset(number, 0, size - length);
    memcpy(number + size - length, content, length);
    return 0;
}

/* Reads r and s, each of `size` bytes, and nothing else. */
static int read_signature(uint8_t *signature, size_t size, const uint8_t *bytes, size_t length)
{
    struct der der;
    size_t content;
    der.bytes = bytes;
    der.length = length;
    if (read_element(&der, DER_SEQUENCE, &content) != 0 || content != der.length)
        return -1;
    if (read_number(&der, signature, size) != 0 || read_number(&der, signature + size, size) != 0)
        return -1;
    return der.length == 0 ? 0 : -1;
}

/* Writes an integer of `size` bytes, and returns how many were written. */
static size_t write_number(uint8_t *out, const uint8_t *number, size_t size)
{
    size_t zeros = 0, is_padded;
    while (zeros < size - 1 && number[zeros] == 0)
        zeros++;
    is_padded = number[zeros] >= 0x80;
    out[0] = DER_INTEGER;
    out[1] = (uint8_t)(is_padded + size - zeros);
    out[2] = 0;
    memcpy(out + 2 + is_padded, number + zeros, size - zeros);
    return 2 + is_padded + size - zeros;
}

/* Writes r and s, each of at most 66 bytes, and returns how many bytes were written. */
static size_t write_signature(uint8_t *out, const uint8_t *signature, size_t size)
{
    uint8_t numbers[2 * (3 + 66)];
    size_t header = 0, length = write_number(numbers, signature, size);
    length += write_number(numbers + length, signature + size, size);
    out[header++] = DER_SEQUENCE;
    if (length >= 0x80)
        out[header++] = DER_LONG;
    out[header++] = (uint8_t)length;
    memcpy(out + header, numbers, length);
    return header + length;
}
