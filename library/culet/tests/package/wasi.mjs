// Runs a program for wasm32-wasip1 in node: `node wasi.mjs PROGRAM ARGUMENT...`. The program has what tests ask of a system: arguments,
// files and input to read, a clock, random bytes, and text to write. Node's own WASI (node 20)
// crashes at the end of programs that have used much memory.

import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';

// Error numbers and kinds of files of "WASI preview 1", witx, `errno` and `filetype`.
const SUCCESS = 0;
const BAD_FILE = 8;
const INVALID = 28;
const NO_ENTRY = 44;
const NOT_SUPPORTED = 58;
const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

// The one directory that is open from the start.
const ROOT = 3;
const ROOT_PATH = '/';

// Bits of `path_open` that ask for a file to be made or emptied, and of rights that ask for writing.
const CHANGES_FILES = 0b1001;
const RIGHT_TO_WRITE = 1n << 6n;

const programArguments = process.argv.slice(2).map((argument) => Buffer.from(`${argument}\0`));
// Files that the program has opened, by the numbers that it knows, with the place where each is read; standard input has no place.
const files = new Map([[0, { descriptor: 0, place: null }]]);
let lastFile = ROOT;

let memory;
const view = () => new DataView(memory.buffer);
const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);

// Calls `each` with the buffers of a list in memory until one is not filled, and returns how many bytes they took.
function eachBuffer(list, count, each) {
  let total = 0;
  for (let place = 0; place < count; place += 1) {
    const at = view().getUint32(list + 8 * place, true);
    const length = view().getUint32(list + 8 * place + 4, true);
    const done = each(bytes(at, length));
    total += done;
    if (done < length) break;
  }
  return total;
}

function putStat(stat, at) {
  bytes(at, 64).fill(0);
  view().setUint8(at + 16, stat.isDirectory() ? DIRECTORY : REGULAR_FILE);
  view().setBigUint64(at + 24, 1n, true);
  view().setBigUint64(at + 32, BigInt(stat.size), true);
  return SUCCESS;
}

const pathOf = (at, length) => ROOT_PATH + Buffer.from(bytes(at, length)).toString();

// Does something with a path or a file, and returns the error's number if that is not there.
function attempt(action) {
  try {
    return action();
  } catch (error) {
    if (error.code === 'ENOENT') return NO_ENTRY;
    throw error;
  }
}

const system = {
  args_sizes_get(count, size) {
    view().setUint32(count, programArguments.length, true);
    view().setUint32(size, programArguments.reduce((sum, argument) => sum + argument.length, 0), true);
    return SUCCESS;
  },
  args_get(pointers, at) {
    for (const [place, argument] of programArguments.entries()) {
      view().setUint32(pointers + 4 * place, at, true);
      bytes(at, argument.length).set(argument);
      at += argument.length;
    }
    return SUCCESS;
  },
  // The environment is empty.
  environ_sizes_get(count, size) {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return SUCCESS;
  },
  environ_get: () => SUCCESS,
  clock_time_get(clock, precision, at) {
    view().setBigUint64(at, clock === 0 ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint(), true);
    return SUCCESS;
  },
  random_get(at, length) {
    randomFillSync(bytes(at, length));
    return SUCCESS;
  },
  sched_yield: () => SUCCESS,
  proc_exit: (code) => process.exit(code),

  fd_prestat_get(file, at) {
    if (file !== ROOT) return BAD_FILE;
    view().setUint8(at, 0);
    view().setUint32(at + 4, ROOT_PATH.length, true);
    return SUCCESS;
  },
  fd_prestat_dir_name(file, at, length) {
    bytes(at, length).set(Buffer.from(ROOT_PATH));
    return SUCCESS;
  },
  fd_fdstat_get(file, at) {
    if (file > ROOT && !files.has(file)) return BAD_FILE;
    bytes(at, 24).fill(0);
    view().setUint8(at, file < ROOT ? CHARACTER_DEVICE : file === ROOT ? DIRECTORY : REGULAR_FILE);
    view().setBigUint64(at + 8, ~0n, true);
    view().setBigUint64(at + 16, ~0n, true);
    return SUCCESS;
  },
  fd_filestat_get(number, at) {
    const file = files.get(number);
    return file ? putStat(fstatSync(file.descriptor), at) : BAD_FILE;
  },
  path_filestat_get: (directory, flags, path, length, at) => attempt(() => putStat(statSync(pathOf(path, length)), at)),
  path_open(directory, lookup, path, length, how, rights, inherited, flags, at) {
    if (how & CHANGES_FILES || (rights & RIGHT_TO_WRITE) !== 0n) return NOT_SUPPORTED;
    return attempt(() => {
      lastFile += 1;
      files.set(lastFile, { descriptor: openSync(pathOf(path, length)), place: 0 });
      view().setUint32(at, lastFile, true);
      return SUCCESS;
    });
  },
  fd_close(number) {
    const file = files.get(number);
    if (!file) return BAD_FILE;
    closeSync(file.descriptor);
    files.delete(number);
    return SUCCESS;
  },
  fd_read(number, list, count, at) {
    const file = files.get(number);
    if (!file) return BAD_FILE;
    const read = eachBuffer(list, count, (buffer) => {
      const length = readSync(file.descriptor, buffer, 0, buffer.length, file.place);
      if (file.place !== null) file.place += length;
      return length;
    });
    view().setUint32(at, read, true);
    return SUCCESS;
  },
  fd_seek(number, offset, whence, at) {
    const file = files.get(number);
    if (!file) return BAD_FILE;
    const place = [0, file.place, fstatSync(file.descriptor).size][whence] + Number(offset);
    if (!(place >= 0)) return INVALID;
    file.place = place;
    view().setBigUint64(at, BigInt(place), true);
    return SUCCESS;
  },
  fd_write(file, list, count, at) {
    if (file !== 1 && file !== 2) return BAD_FILE;
    view().setUint32(at, eachBuffer(list, count, (buffer) => writeSync(file, buffer)), true);
    return SUCCESS;
  },
};

const program = await WebAssembly.compile(readFileSync(process.argv[2]));
const instance = await WebAssembly.instantiate(program, { wasi_snapshot_preview1: system });
memory = instance.exports.memory;
instance.exports._start();
