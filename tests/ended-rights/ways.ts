/**
 * The ways to reach something of a project. Each prepares what a client would hold already, such as an open connection, an open
 * upload or a token that was issued, and returns a request that tells whether it is answered.
 */
import { readFile } from 'node:fs/promises'
import { clientOf, execute } from '../../src/infra/ssh/testing.ts'
import { deliver } from '../../src/modules/alerts/testing.ts'
import { blobOf, registryOf } from '../../src/modules/container-registry/http/testing.ts'
import { askForToken } from '../../src/modules/container-registry/tokens/testing.ts'
import { objectOf } from '../../src/modules/lfs/testing.ts'
import { workOn } from '../../src/modules/runners/testing.ts'
import { type SshKeyPair, ssh } from '../../src/testing/index.ts'
import { basic, type Login, type World } from './world.ts'

type Reaching = () => Promise<boolean>
type Way = (world: World) => Reaching | Promise<Reaching>

const isDone = ({ status }: { status: number }) => status < 300
const answered = async (answer: Promise<{ status: number }>) => isDone(await answer)

const service = (login: (world: World) => Login | null, name: 'git-upload-pack' | 'git-receive-pack'): Way => {
  return (world) => () => {
    const found = login(world)
    const headers: Record<string, string> = found ? { Authorization: basic(found) } : {}
    return answered(fetch(`${world.server.url}/${world.path}.git/info/refs?service=${name}`, { headers }))
  }
}

/** One connection, on which each request is a new command. */
const overSsh = (key: (world: World) => SshKeyPair, command: 'git-upload-pack' | 'git-receive-pack'): Way => {
  return async (world) => {
    const { client, ready } = clientOf(world.server as never, { privateKey: await readFile(key(world).path) })
    await ready
    world.closing.push(() => client.end())
    return async () => {
      const channel = await execute(client, `${command} '${world.path}.git'`)
      const begins = await new Promise<boolean>((resolve) => {
        channel.once('data', () => resolve(true))
        channel.once('close', () => resolve(false))
      })
      channel.close()
      return begins
    }
  }
}

type RegistryUse = 'pull' | 'push' | 'chunk' | 'end'

const registry = (login: (world: World) => Login | null, use: RegistryUse): Way => {
  return async (world) => {
    const { server, path } = world
    const name = `${path}/web`
    const client = registryOf(server)
    const found = login(world)
    const asked = use === 'pull' ? 'pull' : 'pull,push'
    const credentials = found && { user: found.username, password: found.token }
    const { body } = await askForToken(server, credentials, `repository:${name}:${asked}`)
    const headers = { Authorization: `Bearer ${body.token}` }
    const blob = blobOf()
    const stored = `${name}/blobs/uploads/?digest=${blob.digest}`
    if (use === 'pull') {
      await client.send('POST', stored, { scope: `${name}:pull,push`, body: blob.content })
      return () => answered(client.send('GET', `${name}/blobs/${blob.digest}`, { headers }))
    }
    if (use === 'push') return () => answered(client.send('POST', `${name}/blobs/uploads/`, { headers }))
    const open = async () =>
      (await client.send('POST', `${name}/blobs/uploads/`, { scope: `${name}:pull,push` })).headers.get('location') ??
      ''
    // One upload for the request before the end, and one for that after it.
    const uploads = [await open(), await open()]
    return () => {
      const upload = uploads.shift() ?? ''
      if (use === 'chunk') return answered(client.send('PATCH', upload, { headers, body: blob.content }))
      return answered(client.send('PUT', `${upload}?digest=${blob.digest}`, { headers, body: blob.content }))
    }
  }
}

/** An object by the address and the header that the batch request has answered before. */
const lfs = (authorization: (world: World) => Promise<string>, operation: 'download' | 'upload'): Way => {
  return async (world) => {
    const { server, path, owner } = world
    const Authorization = await authorization(world)
    const object = objectOf()
    const address = `${server.url}/${path}.git/gitlab-lfs/objects/${object.oid}`
    const put = (by: string) =>
      fetch(`${address}/${object.size}`, {
        method: 'PUT',
        headers: { Authorization: by },
        body: object.content as never,
      })
    if (operation === 'upload') return () => answered(put(Authorization))
    await put(basic(owner))
    return () => answered(fetch(address, { headers: { Authorization } }))
  }
}

/** What `git-lfs-authenticate` answers. */
async function lfsHeaderOf({ server, path }: World, key: SshKeyPair): Promise<string> {
  return JSON.parse((await ssh(server, key, ['git-lfs-authenticate', path, 'upload'])).stdout).header.Authorization
}

const asPerson = ({ login }: World) => login
const asDeployToken = ({ deploy }: World) => deploy
const asJob = ({ job }: World) => ({ username: 'gitlab-ci-token', token: job.token })
const asNobody = () => null
const ownKey = ({ key }: World) => key
const deployKey = ({ deployKey: key }: World) => key

export const ways = {
  'API read':
    ({ client, base }) =>
    () =>
      answered(client.get(base)),
  'API write':
    ({ client, base }) =>
    () =>
      answered(client.post(`${base}/issues`, { title: 'x' })),
  'API code':
    ({ client, base }) =>
    () =>
      answered(client.get(`${base}/repository/files/a.txt?ref=main`)),
  'API commit': (world) => {
    let count = 0
    return () => {
      count += 1
      const file = { branch: `new-${count}`, start_branch: 'main', content: 'x', commit_message: 'x' }
      return answered(world.client.post(`${world.base}/repository/files/new${count}.txt`, file))
    }
  },
  archive:
    ({ client, base }) =>
    () =>
      answered(client.get(`${base}/repository/archive.tar`)),
  upload:
    ({ login, server, upload }) =>
    () =>
      answered(fetch(`${server.url}${upload}`, { headers: { 'PRIVATE-TOKEN': login.token } })),
  'git fetch': service(asPerson, 'git-upload-pack'),
  'git push': service(asPerson, 'git-receive-pack'),
  'SSH fetch': overSsh(ownKey, 'git-upload-pack'),
  'SSH push': overSsh(ownKey, 'git-receive-pack'),
  'registry pull': registry(asPerson, 'pull'),
  'registry push': registry(asPerson, 'push'),
  'registry chunk': registry(asPerson, 'chunk'),
  'registry end of upload': registry(asPerson, 'end'),
  'LFS download': lfs(async ({ login }) => basic(login), 'download'),
  'LFS upload': lfs(async ({ login }) => basic(login), 'upload'),
  'LFS token download': lfs((world) => lfsHeaderOf(world, world.key), 'download'),
  'LFS token upload': lfs((world) => lfsHeaderOf(world, world.key), 'upload'),
  'anonymous fetch': service(asNobody, 'git-upload-pack'),
  'anonymous registry pull': registry(asNobody, 'pull'),
  'deploy token fetch': service(asDeployToken, 'git-upload-pack'),
  'deploy token registry pull': registry(asDeployToken, 'pull'),
  'deploy token registry chunk': registry(asDeployToken, 'chunk'),
  'deploy key fetch': overSsh(deployKey, 'git-upload-pack'),
  'deploy key push': overSsh(deployKey, 'git-receive-pack'),
  'deploy key LFS token': lfs((world) => lfsHeaderOf(world, world.deployKey), 'upload'),
  'job fetch': service(asJob, 'git-upload-pack'),
  'job API':
    ({ server, job }) =>
    () =>
      answered(server.anonymous.get('/job', { headers: { 'JOB-TOKEN': job.token } })),
  'job registry pull': registry(asJob, 'pull'),
  'job registry chunk': registry(asJob, 'chunk'),
  'job trace': ({ server, job }) => {
    let offset = 0
    return () => {
      offset += 1
      return answered(workOn(server, job).trace('x', `${offset - 1}-${offset - 1}`))
    }
  },
  'job artifacts': ({ server, job }) => {
    let count = 0
    return () => {
      count += 1
      const query = count === 1 ? '' : '?artifact_type=metadata&artifact_format=gzip'
      return answered(workOn(server, job).upload('x', query))
    }
  },
  'runner request':
    ({ owner, base, runner }) =>
    async () => {
      await owner.post(`${base}/pipeline`, { ref: 'main' })
      return (await runner.ask()).status === 201
    },
  alert:
    ({ alerts }) =>
    () =>
      answered(deliver(alerts.url, alerts.token, { title: 'x' })),
} satisfies Record<string, Way>

export type WayName = keyof typeof ways

/** Prepares ways. @returns the request of each */
export async function prepared(world: World, names: readonly WayName[]): Promise<[WayName, Reaching][]> {
  const found: [WayName, Reaching][] = []
  for (const name of names) found.push([name, await ways[name](world)])
  return found
}
