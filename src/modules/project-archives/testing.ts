import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tarEnd, tarHeader, tarPadding } from '../../infra/tar/index.ts'
import { bytesAt, type Client, type TestServer } from '../../testing/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every relation
export type Line = any

/** The files of an archive by their paths, as tar reads them. */
export function filesOf(archive: Buffer): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-archive-'))
  try {
    writeFileSync(join(folder, 'archive.tar.gz'), archive)
    execFileSync('tar', ['-xzf', 'archive.tar.gz'], { cwd: folder })
    rmSync(join(folder, 'archive.tar.gz'))
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const paths = files.map(({ parentPath, name }) => join(parentPath, name))
    return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The lines of a relation of an archive. */
export const linesIn = (files: ReadonlyMap<string, Buffer>, relation: string): Line[] =>
  (files.get(`tree/project/${relation}.ndjson`) ?? Buffer.from(''))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Exports a project, waits for the end, and downloads the archive. */
export async function exportedArchive(server: TestServer, client: Client, place: string): Promise<Buffer> {
  const { status, body } = await client.post(`${place}/export`)
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
  await server.app.platform.jobs.drain()
  const answer = await bytesAt(client, `${place}/export/download`)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`)
  return answer.bytes
}

/** A form with an archive, as clients send it. */
export function formOf(
  archive: Buffer | string,
  fields: Readonly<Record<string, string>>,
  name = 'a.tar.gz',
): FormData {
  const form = new FormData()
  form.set('file', new File([typeof archive === 'string' ? archive : new Uint8Array(archive)], name))
  for (const [key, value] of Object.entries(fields)) form.set(key, value)
  return form
}

/** Imports an archive and waits for the end. @returns the state of the import */
export async function imported(
  server: TestServer,
  client: Client,
  archive: Buffer,
  fields: Readonly<Record<string, string>>,
): Promise<Line> {
  const { status, body } = await client.post('/projects/import', formOf(archive, fields))
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  await server.app.platform.jobs.drain()
  return (await client.get(`/projects/${body.id}/import`)).body
}

/** A tar.gz of files by their paths. @param level of the compression; 0 for none */
export function archiveOf(files: ReadonlyMap<string, Buffer>, level?: number): Buffer {
  const parts = [...files].flatMap(([path, content]) => [
    tarHeader({ path, kind: 'file', sizeBytes: content.length, time: 0 }),
    content,
    tarPadding(content.length),
  ])
  return gzipSync(Buffer.concat([...parts, tarEnd]), level === undefined ? {} : { level })
}
