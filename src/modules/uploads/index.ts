export { safeFileName } from './files/file-name.ts'
export { alternativeText, isEmbeddable, markdownLink } from './files/media-types.ts'
export { fileAnswers, type ServedFile, serveFile } from './files/serving.ts'
export { largestAttachmentBytes, type StoredFile, storeFile } from './files/storing.ts'
