import { tarEnd, tarHeader, tarPadding } from '../../../infra/tar/index.ts'
import type { ExportedFile, ExportedLine } from '../../../platform/index.ts'
import { collectUsers } from './references.ts'
import type { ArchiveIndex } from './relation.ts'

/** What was written to a file of an export. */
export type Written = { objects: number; users: Set<number> }

/** Lines are compressed in chunks of about this length. */
const chunkCharacters = 64 * 1024

/** The lines of a relation as text, one JSON object each. Counts them and collects the users to whom they refer. */
export async function* ndjson(
  portions: AsyncIterable<readonly ExportedLine[]>,
  written: Written,
): AsyncGenerator<Buffer> {
  let text = ''
  for await (const lines of portions) {
    for (const line of lines) {
      collectUsers(line, written.users)
      written.objects += 1
      text += `${JSON.stringify(line)}\n`
      if (text.length < chunkCharacters) continue
      yield Buffer.from(text)
      text = ''
    }
  }
  if (text !== '') yield Buffer.from(text)
}

/** The only object of a relation. */
export async function* singleObject(
  portions: AsyncIterable<readonly ExportedLine[]>,
  written: Written,
): AsyncGenerator<Buffer> {
  for await (const text of ndjson(portions, written)) yield text.subarray(0, -1)
}

/** Bytes that must have a size: the header of an archive's file names it before. @throws Error */
async function* ofSize(content: AsyncIterable<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of content) {
    seen += chunk.length
    yield chunk
  }
  if (seen !== sizeBytes) throw new Error(`a file to export has ${seen} bytes instead of ${sizeBytes}`)
}

const secondsOf = (date: string) => Math.floor(Date.parse(date) / 1000)

/** A tar archive of files; those that do not exist any more are left out. */
export async function* archive(
  portions: AsyncIterable<readonly ExportedFile[]>,
  index: ArchiveIndex | undefined,
  written: Written,
): AsyncGenerator<Uint8Array> {
  const paths: string[] = []
  for await (const files of portions) {
    for (const { path, modifiedAt, open } of files) {
      const opened = await open()
      if (!opened) continue
      const { sizeBytes, content } = opened
      yield tarHeader({ path, kind: 'file', sizeBytes, time: secondsOf(modifiedAt) })
      yield* ofSize(content, sizeBytes)
      yield tarPadding(sizeBytes)
      written.objects += 1
      if (index) paths.push(path)
    }
  }
  if (index) {
    const content = Buffer.from(index.contentOf(paths))
    yield tarHeader({ path: index.path, kind: 'file', sizeBytes: content.length, time: 0 })
    yield content
    yield tarPadding(content.length)
  }
  yield tarEnd
}
