/** What can go wrong with an object besides a defect or an I/O error. */
export type ObjectErrorCode =
  /** The content is not what the caller said it would be. */
  | 'digest_mismatch'
  | 'size_mismatch'
  /** The range begins behind the end of the object. */
  | 'range_not_satisfiable'
  /** No such writer: never begun, committed, cancelled, abandoned, or taken over by another process. */
  | 'writer_unknown'
  /** Somebody else is appending to this writer right now. */
  | 'writer_busy'
  /** The next byte of the writer is another one; `sizeBytes` says which. */
  | 'offset_mismatch'
  /** The disk is full. */
  | 'storage_full'
  /** The key lies below another object, or other objects lie below the key. */
  | 'key_conflict'

/** A failed operation on the object store. The caller decides what it means to whoever asked. */
export class ObjectError extends Error {
  readonly code: ObjectErrorCode
  /** Size of the object or writer in question, where the code speaks of one. */
  readonly sizeBytes: number | undefined

  constructor(code: ObjectErrorCode, message: string, sizeBytes?: number) {
    super(message)
    this.name = 'ObjectError'
    this.code = code
    this.sizeBytes = sizeBytes
  }
}
