export { ObjectError, type ObjectErrorCode } from './object-error.ts'
export type {
  ByteRange,
  Content,
  Expected,
  ListedObject,
  ObjectHead,
  ObjectStore,
  OpenedObject,
  StoredObject,
} from './object-store.ts'
export { openObjects } from './open.ts'
export { parseStorageKey, type StorageKey, storageKey } from './storage-key.ts'
