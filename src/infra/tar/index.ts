export { BLOCK_BYTES, tarEnd, tarHeader, tarPadding } from './tar-format.ts'
