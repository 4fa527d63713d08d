# After what a loop carries has got its next values, these are in memory and not in registers.
/^ *v[0-9]+ = [^;]*;$/ { names[++count] = $1; print; next }
{
    if (count > 0) {
        list = ""
        for (i = 1; i <= count; i++) list = list (i > 1 ? ", " : "") "\"+m\"(" names[i] ")"
        print "__asm__ volatile(\"\" : " list ");"
        count = 0
    }
    print
}
