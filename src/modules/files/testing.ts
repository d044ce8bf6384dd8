import type { Clock } from '../../infra/clock/index.ts'
import { imported, startTestServer } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** The id of a commit that is not in the repository. */
export const elsewhere = 'f'.repeat(40)

/**
 * Starts a server with a private project of the owner, and users with other roles.
 * @param path where the project is in the owner's namespace
 * @param stream the history, for `fast-import`
 * @param refs pushed besides the branches
 */
export async function startWithReaders(
  path: string,
  stream: Buffer,
  { refs, clock }: { refs?: readonly string[]; clock?: Clock } = {},
) {
  const server = await startTestServer({ clock })
  const owner = await server.user('owner')
  const reporter = await server.user('reporter')
  const guest = await server.user('guest')
  const outsider = await server.user('outsider')
  const project = await imported(server, owner, path, stream, { refs })
  await server.make.member({ project }, reporter, 20)
  await server.make.member({ project }, guest, 10)
  return { server, owner, reporter, guest, outsider, project }
}

/** Starts a server without initial branch protection, with a developer who may write and a reporter who may not. */
export async function startWithWriters() {
  const server = await startTestServer()
  await server.root.put('/application/settings', { default_branch_protection: 0 })
  const owner = await server.user('owner')
  const developer = await server.user('developer')
  const reporter = await server.user('reporter')

  /** A project of the owner in which the developer and the reporter are members. */
  async function makeProject(path: string): Promise<ProjectRow> {
    const project = await server.make.project(path, owner)
    await server.make.member({ project }, developer, 30)
    await server.make.member({ project }, reporter, 20)
    return project
  }

  return { server, owner, developer, reporter, makeProject }
}
