import { expect } from 'vitest'
import { diskPath, type Repository } from '../../infra/git/index.ts'
import { git, makeHistory, type Person, type TestServer, temporaryDirectory } from '../../testing/index.ts'
import { repositoryOfProject } from '../repositories/index.ts'
import { projectById } from './store.ts'
import type { ProjectRow } from './tables.ts'

/** What tests of projects do to a server besides asking it over HTTP. */
export function handsOn(server: TestServer) {
  const { database, jobs, git: storages } = server.app.floor

  /** Where a repository is, whether or not it is there. */
  function at({ storage, disk_path: place }: { storage: string; disk_path: string }): Repository {
    const path = diskPath(place)
    if (path === null) throw new Error(`no place: ${place}`)
    return storages.repository({ storage, diskPath: path })
  }

  async function repositoryRow(projectId: number) {
    const row = await repositoryOfProject(database.read, projectId)
    if (!row) throw new Error(`project ${projectId} has no repository`)
    return row
  }

  /** Address of a project's repository, with a person's token in it. */
  const address = (person: Person, path: string) =>
    `${server.url.replace('://', `://${person.username}:${person.token}@`)}/${path}.git`

  return {
    at,
    repositoryRow,
    address,
    row: (id: number) => projectById(database.read, id),

    /** Changes a row behind the server's back. */
    async change(id: number, changes: Partial<Pick<ProjectRow, 'marked_for_deletion_on' | 'import_status'>>) {
      await database.write((tx) => tx.updateTable('projects').set(changes).where('id', '=', id).execute())
    },

    /** Stores a job and waits until nothing is left to be done. */
    async run(kind: string, payload: unknown) {
      await database.write((tx) => jobs.enqueue(tx, kind, payload))
      await jobs.drain()
    },

    /** Pushes a history with these messages, to these refs. */
    async push(person: Person, path: string, messages: readonly string[], refspecs: readonly string[] = ['main']) {
      await using folder = await temporaryDirectory()
      await makeHistory(folder.path, messages)
      const outcome = await git(folder.path, 'push', address(person, path), ...refspecs)
      expect(outcome.stderr + outcome.code).toMatch(/0$/)
    },

    /** What a push of one commit ends with. */
    async tryPush(person: Person, path: string) {
      await using folder = await temporaryDirectory()
      await makeHistory(folder.path, ['more'])
      return await git(folder.path, 'push', address(person, path), 'main:refs/heads/another')
    },

    /** The refs that a client sees. */
    async lsRemote(person: Person, path: string): Promise<string> {
      await using folder = await temporaryDirectory()
      return (await git(folder.path, 'ls-remote', address(person, path))).stdout
    },
  }
}

export type HandsOn = ReturnType<typeof handsOn>
