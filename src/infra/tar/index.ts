export { type TarEntry, tarEnd, tarHeader, tarPadding } from './tar-format.ts'
