export { openFilesystem } from './store.ts'
