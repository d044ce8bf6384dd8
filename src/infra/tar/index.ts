export { BLOCK_BYTES, type TarEntry, tarEnd, tarHeader, tarPadding } from './tar-format.ts'
