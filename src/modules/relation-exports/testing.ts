import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Database } from '../../infra/database/index.ts'
import { bytesAt, type Client, type TestServer } from '../../testing/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every relation
export type Line = any

/** The address of the exports of a project or group. */
export const exportsOf = (place: string) => `${place}/export_relations`

/** Downloads the file of a relation. @param query such as `&batched=true&batch_number=1` */
export function download(client: Client, place: string, relation: string, query = '') {
  return bytesAt(client, `${exportsOf(place)}/download?relation=${relation}${query}`)
}

/** The lines of a relation. */
export async function linesOf(client: Client, place: string, relation: string, query = ''): Promise<Line[]> {
  const { status, bytes } = await download(client, place, relation, query)
  if (status !== 200) throw new Error(`${relation}: ${status} ${bytes}`)
  const text = gunzipSync(bytes).toString()
  if (text !== '' && relation !== 'self' && !text.endsWith('\n'))
    throw new Error(`${relation}: the last line has no end`)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The files of an archive by their paths, as tar reads them. */
export async function entriesOf(client: Client, place: string, relation: string): Promise<Map<string, Buffer>> {
  const { status, bytes } = await download(client, place, relation)
  if (status !== 200) throw new Error(`${relation}: ${status} ${bytes}`)
  const folder = mkdtempSync(join(tmpdir(), 'fennec-export-'))
  try {
    writeFileSync(join(folder, 'archive.tar.gz'), bytes)
    execFileSync('tar', ['-xzf', 'archive.tar.gz'], { cwd: folder })
    rmSync(join(folder, 'archive.tar.gz'))
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const pathOf = (parent: string, name: string) => join(parent, name).slice(folder.length + 1)
    return new Map(
      files.map(({ parentPath, name }) => [pathOf(parentPath, name), readFileSync(join(parentPath, name))]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Exports all relations of a project or group, and waits for the end. @returns the status of each, by relation */
export async function exported(server: TestServer, client: Client, place: string, body: object = {}) {
  const { status, body: answer } = await client.post(exportsOf(place), body)
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(answer)}`)
  await server.app.platform.jobs.drain()
  const statuses: Line[] = (await client.get(`${exportsOf(place)}/status`)).body
  return new Map(statuses.map((one) => [one.relation as string, one]))
}

/** Adds issues by rows. @param from the first iid */
export async function addIssues(database: Database, projectId: number, authorId: number, from: number, count: number) {
  const moment = '2026-01-02T03:04:05.678Z'
  for (let first = from; first < from + count; first += 500) {
    const iids = Array.from({ length: Math.min(500, from + count - first) }, (_, index) => first + index)
    const rows = iids.map((iid) => ({
      ...{ project_id: projectId, iid, author_id: authorId, title: `Issue ${iid}` },
      ...{ description: null, created_at: moment, updated_at: moment },
      ...{ closed_at: null, closed_by_id: null, due_date: null, weight: null, health_status: null },
      ...{ milestone_id: null, iteration_id: null, relative_position: null, moved_to_id: null, duplicated_to_id: null },
    }))
    await database.write((tx) => tx.insertInto('issues').values(rows).execute())
  }
}

/** The keys of all exported files. */
export async function storedKeys(server: TestServer): Promise<string[]> {
  const { objects } = server.app.platform
  const keys = (await Array.fromAsync(objects.list())).map(({ key }) => key as string)
  return keys.filter((key) => key.startsWith('relation-exports/'))
}
