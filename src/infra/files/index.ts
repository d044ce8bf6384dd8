/** Files that survive a power failure, and directories that other processes change. */
export {
  bytesBelow,
  filesBelow,
  ignoreMissing,
  namesIn,
  removeOlder,
  syncDirectory,
  syncFiles,
  syncTree,
  writeDurably,
} from './files.ts'
export { forEachOf } from './pool.ts'
