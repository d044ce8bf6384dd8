/** A file of a multipart body, stored on disk until the request ends. */
export type UploadedFile = {
  readonly uploaded: true
  filename: string
  contentType: string
  sizeBytes: number
  path: string
}

const uploads = new WeakSet<object>()

/** Marks a stored file as uploaded: only objects made here pass `isUploadedFile`. */
export function uploadedFile(file: Omit<UploadedFile, 'uploaded'>): UploadedFile {
  const uploaded: UploadedFile = { uploaded: true, ...file }
  uploads.add(uploaded)
  return uploaded
}

/** Whether a value is an uploaded file. A JSON object with the same members is not. */
export function isUploadedFile(value: unknown): value is UploadedFile {
  return typeof value === 'object' && value !== null && uploads.has(value)
}
