/** The examples in `deploy`: they agree with each other and with the settings of this release, and a server starts with each. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../src/config.ts'
import { ACCESS_KEY, startS3Server } from '../src/infra/objects/s3/fixture-server.ts'
import { clientOf, startTestServer } from '../src/testing/index.ts'

const deploy = join(import.meta.dirname, '..', 'deploy')
const read = (...names: string[]) => readFileSync(join(deploy, ...names), 'utf8')

type Settings = Record<string, string>

/** `NAME=value` of each line. */
const assignments = (text: string): Settings =>
  Object.fromEntries(
    [...text.matchAll(/^\s*([A-Z][A-Z0-9_]*)=(.*?)(?: \\)?$/gm)].map(([, name, value]) => [name, value]),
  )

/** The instructions of the last stage of the Dockerfile, each on one line. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/ *\\\n */g, ' ')
  .split(/^(?=FROM )/m)
  .at(-1)!
  .split('\n')
const instruction = (name: string) => instructions.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1)
const image = {
  settings: Object.fromEntries(
    [...(instruction('ENV') ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  ) as Settings,
  ports: instruction('EXPOSE')?.split(' ').map(Number),
  user: Number(instruction('USER')?.split(':')[0]),
}

type Service = {
  environment: Settings
  volumes: string[]
  read_only: boolean
  tmpfs: string[]
  depends_on: Record<string, { condition: string }>
}
const variables = assignments(read('compose', 'env.example'))
const compose = parse(
  read('compose', 'compose.yaml').replaceAll(/\$\{(\w+)(:\?|:-[^}]*)?\}/g, (all, name) => variables[name] ?? all),
  { merge: true },
)
const nodes: Service[] = ['node-1', 'node-2'].map((name) => compose.services[name])

const manifests = ['settings', 'server', 'service', 'ingress'].flatMap((name) =>
  parseAllDocuments(read('kubernetes', `${name}.yaml`)).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  }),
)
const manifest = (kind: string, name = 'fennec') =>
  manifests.find((found) => found.kind === kind && found.metadata.name === name)
const pod = manifest('StatefulSet').spec.template.spec
const container = pod.containers[0]

/** The lines of a section of the unit, by their names. */
const unit = Map.groupBy(read('systemd', 'fennec.service').match(/^\w+=.*$/gm) ?? [], (line) => line.split('=')[0])
const ofUnit = (name: string) => unit.get(name)?.map((line) => line.slice(name.length + 1))
const unitEnvironment = assignments((ofUnit('Environment')?.[0] ?? '').replaceAll(' ', '\n'))
const unitFile = read('systemd', 'fennec.env')

const examples: Record<string, Settings> = {
  'the image': image.settings,
  'the first node of compose': { ...image.settings, ...nodes[0]?.environment },
  'the second node of compose': { ...image.settings, ...nodes[1]?.environment },
  kubernetes: { ...image.settings, ...manifest('ConfigMap').data, ...manifest('Secret').stringData },
  systemd: { ...unitEnvironment, ...assignments(unitFile) },
  'systemd with its comments': { ...unitEnvironment, ...assignments(unitFile.replaceAll(/^#(?=FENNEC)/gm, '')) },
}

const portOf = ({ port }: { port: number }) => port

afterEach(() => vi.unstubAllEnvs())

describe.each(Object.entries(examples))('the settings of %s', (_, settings) => {
  test('are settings of this release', () => {
    expect(Object.values(settings).filter((value) => /\$\{/.test(value))).toEqual([])
    const config = readConfig(settings)
    expect(config.listen.port).toBe(8080)
    expect(config.data).toMatch(/^\/(data|var\/lib\/fennec)$/)
    expect(config.sshListen?.port ?? 2222).toBe(2222)
  })

  test('start a server', async () => {
    await using objects = await startS3Server()
    const { FENNEC_OBJECTS_URL: bucket, AWS_ACCESS_KEY_ID: _key, ...others } = settings
    const own = ['FENNEC_DATA', 'FENNEC_LISTEN', 'FENNEC_SSH_LISTEN', 'FENNEC_DATABASE_URL']
    const rest = Object.fromEntries(
      Object.entries(others).filter(([name]) => name.startsWith('FENNEC_') && !own.includes(name)),
    )
    if (bucket) {
      vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY.accessKeyId)
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', ACCESS_KEY.secretAccessKey)
    }
    const objectsUrl = bucket && `s3://${objects.bucket}?endpoint=${objects.url}`
    const sshPort = settings.FENNEC_SSH_LISTEN ? 0 : undefined
    await using server = await startTestServer({ settings: rest, sshPort, ...(objectsUrl ? { objectsUrl } : {}) })
    // The address of the server is that of the proxy.
    const address = `http://127.0.0.1:${server.app.http.port}`
    expect((await fetch(`${address}/-/readiness`)).status).toBe(200)
    const { body } = await clientOf(address, server.rootToken).post('/projects', { name: 'demo' })
    if (settings.FENNEC_URL) expect(body.http_url_to_repo).toBe(`${settings.FENNEC_URL}/root/demo.git`)
    const isOpen = !('FENNEC_METRICS_TOKEN' in settings)
    expect((await fetch(`${address}/-/metrics`)).status).toBe(isOpen ? 200 : 401)
  })
})

test('a setting that is misspelt is noticed', () => {
  expect(() => readConfig({ ...examples.systemd, FENNEC_LISTEM: 'x' })).toThrow('FENNEC_LISTEM')
})

describe('the image', () => {
  const ports = [readConfig(image.settings).listen, { port: 2222 }].map(portOf)

  test('runs as an own user, on whose folder its volume is', () => {
    expect(image.user).toBe(10_001)
    expect(instruction('USER')).toBe('10001:10001')
    expect(instruction('VOLUME')).toBe(image.settings.FENNEC_DATA)
    expect(image.ports).toEqual(ports)
    expect(instruction('STOPSIGNAL')).toBe('SIGTERM')
    expect(JSON.parse(instruction('ENTRYPOINT') ?? '')).toEqual(['tini', '--', 'fennec'])
    expect(JSON.parse(instruction('CMD') ?? '')).toEqual(['serve'])
    expect(instruction('RUN')).toMatch(/ git .*--uid 10001 --gid 10001 /)
  })

  test('asks its own port whether it is ready', () => {
    const [, command = ''] = / CMD (\[.*\])$/.exec(instruction('HEALTHCHECK') ?? '') ?? []
    const [program, option, script] = JSON.parse(command)
    expect([program, option]).toEqual(['node', '-e'])
    expect(script).toContain(`http://127.0.0.1:${ports[0]}/-/readiness`)
  })
})

describe('compose', () => {
  test('has a value for each variable', () => {
    const used = [...read('compose', 'compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    expect(Object.keys(variables).sort()).toEqual([...new Set(used)].sort())
  })

  test('gives both nodes the same settings, repositories and host keys, and each its own data', () => {
    expect(nodes[0]?.environment).toEqual(nodes[1]?.environment)
    const { data, storages } = readConfig(image.settings)
    const mounted = nodes.map(({ volumes }) =>
      Object.fromEntries(volumes.map((volume) => volume.split(':').toReversed())),
    )
    const shared = { [storages.default ?? '']: 'repositories', [join(data, 'ssh')]: 'ssh' }
    expect(mounted).toEqual([
      { ...shared, [data]: 'data-1' },
      { ...shared, [data]: 'data-2' },
    ])
    // A volume gets the owner of the folder of the image in its place.
    for (const path of Object.keys(mounted[0]!)) expect(`${instruction('RUN')} `).toContain(` ${path} `)
    for (const name of mounted.flatMap((found) => Object.values(found)))
      expect(compose.volumes).toHaveProperty(String(name))
  })

  test('starts the second node when the first has migrated the database', () => {
    expect(nodes[1]?.depends_on).toEqual({ 'node-1': { condition: 'service_healthy' } })
    for (const node of nodes) expect(node).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] })
  })

  test('names its services and their ports in the settings', () => {
    const { databaseUrl, objectsUrl, trustedProxies } = readConfig(examples['the first node of compose'] ?? {})
    const { postgres, objects } = compose.services
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name } = postgres.environment
    expect(databaseUrl).toBe(`postgres://${user}:${password}@postgres:5432/${name}`)
    const [, bucket, endpoint] = /^s3:\/\/(\w+)\?endpoint=http:\/\/objects(:\d+)/.exec(objectsUrl) ?? []
    expect(objects.command).toEqual(['--port', endpoint, 'posix', '/objects'])
    expect(objects.volumes).toEqual([`objects:/objects/${bucket}`])
    const keys = [objects.environment.ROOT_ACCESS_KEY, objects.environment.ROOT_SECRET_KEY]
    expect(keys).toEqual([nodes[0]?.environment.AWS_ACCESS_KEY_ID, nodes[0]?.environment.AWS_SECRET_ACCESS_KEY])
    expect(trustedProxies).toEqual([compose.networks.default.ipam.config[0].subnet])
  })

  test('has a proxy that passes addresses as they came, and SSH', () => {
    const lines = read('compose', 'nginx.conf')
      .split('\n')
      .map((line) => line.trim())
    expect(lines.filter((line) => line.startsWith('server node'))).toEqual([
      'server node-1:8080;',
      'server node-2:8080;',
      'server node-1:2222;',
      'server node-2:2222;',
    ])
    // With a path after the name, even `/`, nginx passes the decoded address.
    expect(lines.filter((line) => line.startsWith('proxy_pass'))).toEqual([
      'proxy_pass http://nodes;',
      'proxy_pass ssh;',
    ])
    const ports = lines.flatMap((line) => /^listen (\d+)/.exec(line)?.[1] ?? [])
    expect(compose.services.proxy.ports).toEqual(ports.map((port) => `${port}:${port}`))
    for (const line of ['client_max_body_size 0;', 'proxy_request_buffering off;', 'proxy_buffering off;']) {
      expect(lines).toContain(line)
    }
    const { proxy, runner } = compose.services
    expect(proxy.networks.default.aliases).toEqual([variables.FENNEC_HOST])
    expect(runner.profiles).toEqual(['runner'])
  })
})

describe('kubernetes', () => {
  test('runs the image as its user, with a root that is not written', () => {
    const { securityContext } = pod
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: image.user, fsGroup: image.user })
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    })
    const paths = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    expect(paths).toEqual([image.settings.FENNEC_DATA, '/tmp'])
    const { volumeClaimTemplates } = manifest('StatefulSet').spec
    const volumes = [
      ...volumeClaimTemplates.map(({ metadata }: { metadata: { name: string } }) => metadata),
      ...pod.volumes,
    ]
    expect(volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }: { name: string }) => name))
  })

  test('has names and ports that lead to each other', () => {
    expect(container.envFrom).toEqual([{ configMapRef: { name: 'fennec' } }, { secretRef: { name: 'fennec' } }])
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    )
    const { listen, sshListen } = readConfig(examples.kubernetes ?? {})
    expect(ports).toEqual({ http: listen.port, ssh: sshListen?.port })
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(container[probe].httpGet).toEqual({ path: expect.stringMatching(/^\/-\/\w+ness$/), port: 'http' })
    }
    const { labels } = manifest('StatefulSet').spec.template.metadata
    for (const name of ['fennec', 'fennec-ssh']) {
      const { selector, ports: served } = manifest('Service', name).spec
      expect(selector).toEqual(labels)
      for (const { port, targetPort } of served) expect(port).toBe(ports[targetPort])
    }
    const { tls, rules } = manifest('Ingress').spec
    expect([`https://${rules[0].host}`, tls[0].hosts]).toEqual([examples.kubernetes?.FENNEC_URL, [rules[0].host]])
    expect(rules[0].http.paths[0].backend.service).toEqual({ name: 'fennec', port: { name: 'http' } })
  })

  test('gives the server no variables of its services, which would be unknown settings', () => {
    expect(pod.enableServiceLinks).toBe(false)
    expect(() => readConfig({ FENNEC_SERVICE_HOST: '10.0.0.1' })).toThrow('FENNEC_SERVICE_HOST')
  })

  test('waits for requests under way', () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(75)
  })
})

describe('systemd', () => {
  test('writes in its state folder only', () => {
    const { data } = readConfig(examples.systemd ?? {})
    expect(data).toBe(join('/var/lib', ofUnit('StateDirectory')?.[0] ?? ''))
    expect(ofUnit('WorkingDirectory')).toEqual([data])
    expect(ofUnit('ProtectSystem')).toEqual(['strict'])
    expect(ofUnit('ReadWritePaths')).toBeUndefined()
    expect(ofUnit('User')).toEqual(['fennec'])
  })

  test('stops the server alone, and waits for it', () => {
    expect(ofUnit('KillMode')).toEqual(['mixed'])
    expect(Number.parseInt(ofUnit('TimeoutStopSec')?.[0] ?? '', 10)).toBeGreaterThan(75)
    expect(ofUnit('ExecStart')?.[0]).toMatch(/^\/usr\/local\/bin\/fennec serve$/)
  })

  test('lets V8 compile', () => expect(ofUnit('MemoryDenyWriteExecute')).toBeUndefined())
})

test('the guide names every file of the examples', () => {
  const guide = readFileSync(join(deploy, '..', 'docs', 'guides', 'deploying.md'), 'utf8')
  for (const [, path = ''] of guide.matchAll(/\]\(\.\.\/\.\.\/deploy\/([\w./-]+)\)/g))
    expect(existsSync(join(deploy, path)), path).toBe(true)
  for (const name of ['Dockerfile', 'compose/compose.yaml', 'systemd/fennec.service', 'kubernetes', 'try-image.sh']) {
    expect(guide).toContain(`../../deploy/${name}`)
  }
})
