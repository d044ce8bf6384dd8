export { ObjectError } from './object-error.ts'
export type {
  ByteRange,
  Content,
  ObjectStore,
  OpenedObject,
} from './object-store.ts'
export { openObjects } from './open.ts'
export { type ForeignObject, signedAddress } from './s3/foreign.ts'
export { parseStorageKey, type StorageKey, storageKey } from './storage-key.ts'
export { sweep } from './sweep.ts'
