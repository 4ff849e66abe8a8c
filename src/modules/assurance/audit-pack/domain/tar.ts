// The ustar format of POSIX.1-1988, which every tar program reads: blocks of 512 bytes.

const BLOCK_BYTES = 512;
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
/** The size has eleven octal digits. */
const MAX_FILE_BYTES = 8 ** 11 - 1;
const MAX_NAME_BYTES = 100;

/** Two blocks of zeros. */
export const END_OF_ARCHIVE: Buffer = Buffer.alloc(2 * BLOCK_BYTES);

export function fileHeader(name: string, size: number, modifiedAt: Date): Buffer {
  return header(name, { size, mode: FILE_MODE, type: '0', modifiedAt });
}

/** `name` ends with a slash. */
export function folderHeader(name: string, modifiedAt: Date): Buffer {
  return header(name, { size: 0, mode: FOLDER_MODE, type: '5', modifiedAt });
}

/** The zeros between the end of a file and the next block. */
export function paddingAfter(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
}

interface Entry {
  readonly size: number;
  readonly mode: number;
  readonly type: '0' | '5';
  readonly modifiedAt: Date;
}

function header(name: string, { size, mode, type, modifiedAt }: Entry): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new RangeError(`The name ${name} is too long for ustar.`);
  if (size > MAX_FILE_BYTES)
    throw new RangeError(`${name} is larger than 8 GiB: choose a shorter range of days.`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name, 0);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108); // owner
  block.write(octal(0, 8), 116); // group
  block.write(octal(size, 12), 124);
  block.write(octal(Math.floor(modifiedAt.getTime() / 1000), 12), 136);
  block.write(' '.repeat(8), 148); // the checksum counts its own field as spaces
  block.write(type, 156);
  block.write('ustar\0' + '00', 257); // magic number and version
  const checksum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(checksum, 7)} `, 148);
  return block;
}

/** `length` characters: octal digits and a zero byte. */
function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}
