/** A push over HTTP that pauses in the middle of its pack. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { type DiskPath, diskPath, type Repository } from '../../infra/git/index.ts'
import { git, type Person, type TestServer } from '../../testing/index.ts'

/** The server starts git after 64 KiB of a push. */
const beginningBytes = 100_000

/** The repository of a project. @param fullPath path of the project */
export async function filesOf(server: TestServer, fullPath: string): Promise<Repository> {
  const project = (await server.root.get(`/projects/${encodeURIComponent(fullPath)}`)).body
  const storage = (await server.root.get(`/projects/${project.id}/storage`)).body
  const path = diskPath(`${storage.disk_path}.git`) as DiskPath
  return server.app.platform.git.repository({ storage: storage.repository_storage, diskPath: path })
}

/**
 * Sends the first part of a push, until git receives it.
 * @param folder a work tree with more than 100 KB of new objects in its HEAD
 * @returns sends the rest, and returns what the server answers
 */
export async function beginPush(
  server: TestServer,
  person: Person,
  fullPath: string,
  folder: string,
): Promise<() => Promise<string>> {
  const files = await filesOf(server, fullPath)
  const oid = (await git(folder, 'rev-parse', 'HEAD')).stdout.trim()
  const pack = execFileSync('git', ['pack-objects', '--stdout', '--revs', '-q'], { cwd: folder, input: `${oid}\n` })
  const line = `${'0'.repeat(40)} ${oid} refs/heads/main\0 report-status side-band-64k`
  const sent = request(`${server.url}/${fullPath}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-git-receive-pack-request',
      Authorization: `Basic ${Buffer.from(`${person.username}:${person.token}`).toString('base64')}`,
    },
  })
  sent.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`)
  sent.write(pack.subarray(0, beginningBytes))
  const quarantine = expect.stringMatching(/incoming/)
  await expect.poll(() => readdir(join(files.directory, 'objects'))).toContainEqual(quarantine)
  return async () => {
    sent.end(pack.subarray(beginningBytes))
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(200)
    return text(response)
  }
}
