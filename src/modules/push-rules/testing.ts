import { openWorkTree, type Person, type TestServer, type WorkTree } from '../../testing/index.ts'

/** Creates a project, and pushes a first commit to its `main`. @returns the work tree */
export async function treeOfNewProject(server: TestServer, owner: Person, path: string): Promise<WorkTree> {
  const tree = await openWorkTree(server, await server.make.project(path, owner))
  await tree.commit('First')
  const { isAccepted, stderr } = await tree.push(owner, 'main')
  if (!isAccepted) throw new Error(stderr)
  return tree
}
