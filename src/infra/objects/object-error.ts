/** The expected errors of the object store. */
type ObjectErrorCode =
  /** The content differs from the expected digest or size. */
  | 'digest_mismatch'
  | 'size_mismatch'
  /** The range begins after the end of the object. */
  | 'range_not_satisfiable'
  /** The writer does not exist: never begun, committed, cancelled, abandoned, or taken over by another process. */
  | 'writer_unknown'
  /** Another append to this writer is running. */
  | 'writer_busy'
  /** The offset is not the writer's size, which is in `sizeBytes`. */
  | 'offset_mismatch'
  /** The disk is full. */
  | 'storage_full'
  /** The key is below another object, or other objects are below the key. */
  | 'key_conflict'
  /** The storage cannot be reached, fails or refuses the access key. The same call may succeed later. */
  | 'unavailable'

/** A failed operation of the object store. */
export class ObjectError extends Error {
  readonly code: ObjectErrorCode
  /** The size of the object or writer, for codes that mention it. */
  readonly sizeBytes: number | undefined

  constructor(code: ObjectErrorCode, message: string, sizeBytes?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ObjectError'
    this.code = code
    this.sizeBytes = sizeBytes
  }
}
