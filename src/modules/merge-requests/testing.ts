import type { ProjectPlace, ProjectWithMembers, WorkTree } from '../../testing/index.ts'
import { openWorkTree, projectWithMembers, type TestServer } from '../../testing/index.ts'

/** A project with members, a commit on `main` and a work tree, for tests of merge requests. */
export type Place = ProjectWithMembers & { tree: WorkTree; base: string; at: string }

let places = 0

/** Ten lines, so that changes of different ones do not conflict. */
export const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`)
export const textWith = (index: number, line: string) => `${lines.with(index, line).join('\n')}\n`

/** Makes a project whose `main` has `a.txt`, of ten lines; its owner has pushed it. */
export async function makePlace(
  server: TestServer,
  { people, visibility = 'private', namespace }: Pick<ProjectPlace, 'people' | 'visibility' | 'namespace'> = {},
): Promise<Place> {
  places += 1
  const made = await projectWithMembers(server, {
    ...(people && { people }),
    ...(namespace && { namespace }),
    path: `place-${places}`,
    visibility,
  })
  const tree = await openWorkTree(server, made.project)
  await tree.commit('first', { 'a.txt': `${lines.join('\n')}\n` })
  await tree.push(made.owner, 'main')
  return { ...made, tree, base: tree.base, at: `${tree.base}/merge_requests` }
}

/** Commits files on a new branch that starts at another one, and pushes it. @returns the commit */
export async function pushBranch(
  { tree, owner }: Place,
  branch: string,
  files: Record<string, string>,
  { from = 'main', message = `work on ${branch}` }: { from?: string; message?: string } = {},
): Promise<string> {
  await tree.run('checkout', '--quiet', '-B', branch, from)
  await tree.commit(message, files)
  const { isAccepted, stderr } = await tree.push(owner, '--force', branch)
  if (!isAccepted) throw new Error(stderr)
  return tree.run('rev-parse', 'HEAD')
}

/** Makes a merge request of a new branch, as the developer. @returns its object */
export async function openRequest(
  place: Place,
  branch: string,
  files: Record<string, string> = { [`${branch}.txt`]: `${branch}\n` },
  params: Record<string, unknown> = {},
  options: { from?: string; message?: string } = {},
) {
  await pushBranch(place, branch, files, options)
  const { status, body } = await place.developer.post(place.at, {
    source_branch: branch,
    target_branch: 'main',
    title: `Merge ${branch}`,
    ...params,
  })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
