import type { FileFacts } from './present.ts'

/** Encodes a text for a header: UTF-8 as bytes, which clients of this API decode. Control characters are escaped. */
function headerText(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are escaped
  return bytes.replace(/[\u0000-\u001f\u007f]/g, (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** The facts about a file as headers (contract 22 R7). */
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

/** Headers with which a browser runs no content of users (contract 00, "Response headers"). */
export function bytesHeaders(content: { isText: boolean; sizeBytes: number }): Record<string, string> {
  return {
    'Content-Type': content.isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'Content-Length': String(content.sizeBytes),
    'Content-Security-Policy': "default-src 'none'; sandbox",
  }
}
