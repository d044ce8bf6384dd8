/** Two servers for tests of mirrors; one mirrors repositories of the other. */
import { manualClock } from '../../infra/clock/index.ts'
import { git, httpUrl, makeHistory, startTestServer, temporaryDirectory } from '../../testing/index.ts'

const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })

type Side = 'here' | 'there'
export type TwoServers = Awaited<ReturnType<typeof startTwoServers>>

/**
 * Starts both servers: `here` has the clock and the mirrors, which may connect to this machine, and `there` is the remote.
 * Alice owns the projects of `here`, Bob those of `there`; `folder` is a clone with the commits `one`, `two` and `three`.
 * @param options of `there`
 */
export async function startTwoServers(options: { sshPort?: number } = {}) {
  const here = await startTestServer({ clock })
  const there = await startTestServer(options)
  const alice = await here.user('alice')
  const bob = await there.user('bob')
  const directory = await temporaryDirectory()
  const folder = directory.path
  await makeHistory(folder, ['one', 'two', 'three'])
  const allowLocal = (allow_local_requests_from_web_hooks_and_services: boolean) =>
    here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services })
  await allowLocal(true)
  const sides = { here: { server: here, owner: alice }, there: { server: there, owner: bob } }

  const urlOf = (side: Side, name: string) => {
    const { server, owner } = sides[side]
    return httpUrl(server, owner, `${owner.username}/${name}`)
  }
  const settle = () => here.app.platform.jobs.drain()

  return {
    clock,
    here,
    there,
    alice,
    bob,
    folder,
    settle,
    /** The address of a repository of `there`, with credentials. */
    addressOf: (path: string, login = `bob:${bob.token}@`) => `${there.url.replace('://', `://${login}`)}/${path}.git`,
    /** Creates an empty project on both servers. */
    async pair(name: string) {
      const { id } = await here.make.project(name, alice)
      await there.make.project(name, bob)
      const shown = `${there.url.replace('://', '://*****:*****@')}/bob/${name}.git`
      return { id, address: urlOf('there', name), shown }
    },
    /** Pushes to a project, as its owner. */
    async push(side: Side, name: string, ...refspecs: string[]) {
      const { code, stderr } = await git(folder, 'push', '--force', urlOf(side, name), ...refspecs)
      if (code !== 0) throw new Error(stderr)
    },
    /** The branches and tags of a project, with the titles of their commits. */
    async refs(side: Side, name: string) {
      const { stdout } = await git(folder, 'ls-remote', '--refs', urlOf(side, name))
      const pairs = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t') as [oid: string, ref: string])
      const oids = pairs.map(([oid]) => oid)
      const known = await git(folder, 'log', '--no-walk', '--ignore-missing', '--format=%H %s', ...oids, '--')
      const titles = Object.fromEntries(known.stdout.split('\n').map((line) => [line.slice(0, 40), line.slice(41)]))
      const shown = pairs.map(([oid, ref]) => [ref.replace(/^refs\/(?:heads\/)?/, ''), titles[oid] ?? oid])
      return Object.fromEntries(shown) as Record<string, string>
    },
    /** Creates a branch with a commit that `main` does not have; the title names both. */
    async foreignCommit(title: string) {
      const tree = (await git(folder, 'rev-parse', 'main~2^{tree}')).stdout.trim()
      const oid = (await git(folder, 'commit-tree', tree, '-p', 'main~2', '-m', title)).stdout.trim()
      await git(folder, 'branch', '--force', title, oid)
    },
    /** Enables a mirror while it may not connect to this machine. */
    async enableWhereLocalIsForbidden(mirrorPath: string) {
      await allowLocal(false)
      await alice.put(mirrorPath, { enabled: true })
      await settle()
      await allowLocal(true)
    },
    /** Advances the clock and runs due jobs. */
    async pass(minutes: number) {
      clock.advance(minutes * 60_000)
      await settle()
    },
    async [Symbol.asyncDispose]() {
      await here.stop()
      await there.stop()
      await directory[Symbol.asyncDispose]()
    },
  }
}
