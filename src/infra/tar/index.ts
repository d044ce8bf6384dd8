/** Tar files: POSIX ustar with pax headers. */
export { readTar, type TarLimits, TarProblem } from './reading.ts'
export { BLOCK_BYTES, tarEnd, tarHeader, tarPadding } from './writing.ts'
