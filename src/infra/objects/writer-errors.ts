import { ObjectError } from './object-error.ts'

/** Whether a text has the form of a writer's id, which becomes a part of names in the storage. */
export function isWriterId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text)
}

/** The error for a writer that does not exist. */
export function unknownWriter(): ObjectError {
  return new ObjectError('writer_unknown', 'there is no such upload')
}

/** The error for a writer that another request uses. */
export function busyWriter(): ObjectError {
  return new ObjectError('writer_busy', 'another request is writing to this upload')
}

/** The error for an append at another position than the end. */
export function offsetMismatch(sizeBytes: number): ObjectError {
  return new ObjectError('offset_mismatch', `the next byte of this upload is number ${sizeBytes}`, sizeBytes)
}
