import type { FileFacts } from './present.ts'

/**
 * Text as a header may carry it: UTF-8, byte by byte, as clients of this API read it. What would end the header or the line
 * is escaped.
 */
function headerText(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  return bytes.replace(/[\u0000-\u001f\u007f]/g, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** What the answers about a file say of it in their headers (contract 22 R7). */
export function fileHeaders(file: FileFacts): Record<string, string> {
  return {
    'X-Gitlab-Blob-Id': file.blob_id,
    'X-Gitlab-Commit-Id': file.commit_id,
    'X-Gitlab-Content-Sha256': file.content_sha256,
    'X-Gitlab-Encoding': file.encoding,
    'X-Gitlab-Execute-Filemode': String(file.execute_filemode),
    'X-Gitlab-File-Name': headerText(file.file_name),
    'X-Gitlab-File-Path': headerText(file.file_path),
    'X-Gitlab-Last-Commit-Id': file.last_commit_id,
    'X-Gitlab-Ref': headerText(file.ref),
    'X-Gitlab-Size': String(file.size),
  }
}

/**
 * How a user's bytes are sent: as text, or as bytes that a browser shows in no way at all, and never as something that runs
 * in the name of this server (contract 00, "Response headers").
 */
export function bytesHeaders(content: { isText: boolean; sizeBytes: number }): Record<string, string> {
  return {
    'Content-Type': content.isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'Content-Length': String(content.sizeBytes),
    'Content-Security-Policy': "default-src 'none'; sandbox",
  }
}
