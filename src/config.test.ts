import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, externalUrlOf, printableConfig, readConfig } from './config.ts'

describe('defaults', () => {
  test('reach clients where the server listens, without the port of the protocol', () => {
    const at = (host: string, port: number) => externalUrlOf({ url: undefined, listen: { host, port } }, port)
    expect([at('127.0.0.1', 8080), at('0.0.0.0', 80)]).toEqual(['http://127.0.0.1:8080', 'http://localhost'])
    expect([at('::1', 8080), at('::1', 80)]).toEqual(['http://[::1]:8080', 'http://[::1]'])
    expect(externalUrlOf(readConfig({ FENNEC_URL: 'https://git.example' }), 80)).toBe('https://git.example')
  })

  test('are one folder and one port of this machine', () => {
    expect(readConfig({})).toMatchObject({
      listen: { host: '127.0.0.1', port: 8080 },
      data: resolve('data'),
      databaseUrl: `sqlite:${resolve('data/fennec.db')}`,
      storages: { default: resolve('data/repositories') },
      workers: 1,
      url: undefined,
      rootToken: undefined,
      gitMemoryMib: 1024,
      pushUnpackSeconds: 20,
      pushUnpackedMib: 0,
      registryEnabled: true,
      registryListen: undefined,
      registryUrl: undefined,
      registryGcGraceMs: 86_400_000,
      registryUploadTtlMs: 86_400_000,
      registryRedirect: false,
      registryLegacyTagDelete: true,
      uploadsRedirect: false,
      packagesEnabled: true,
      packagesRedirect: false,
      pagesEnabled: true,
      pagesHost: undefined,
      pagesListen: undefined,
      pagesAccessControl: true,
      registryIssuer: 'fennec-issuer',
      registryKey: undefined,
      ciScheduleWorkerCron: '* * * * *',
      ciScheduleSourceLabel: 'scheduled',
      ciSchedulePlayPerMinute: 0,
      auditKeepDays: 0,
      serviceAccountsRotateRevokes: 'all',
      serviceAccountsLimit: 0,
      domainsVerification: 'dns',
      domainsStaticTxt: {},
      smtpUrl: undefined,
      mailFrom: undefined,
      webhookTimeoutMs: 10_000,
      metricsAllow: [],
      metricsToken: undefined,
    })
  })

  test('have no sites at the host of the server', () => {
    const hostOf = (value: string, url = 'https://git.example') =>
      readConfig({ FENNEC_PAGES_HOST: value, FENNEC_URL: url }).pagesHost
    const unsaid = { protocol: undefined, port: undefined }
    expect(hostOf('Pages.Example')).toEqual({ ...unsaid, hostname: 'pages.example' })
    expect(hostOf('http://pages.git.example:8090/')).toEqual({
      hostname: 'pages.git.example',
      protocol: 'http:',
      port: '8090',
    })
    for (const wrong of ['git.example', 'example', 'GIT.example']) {
      expect(() => hostOf(wrong), wrong).toThrow('must not be the host of the server, nor one above it')
    }
    for (const wrong of [
      '1.2.3.4',
      '[::1]',
      'a b',
      'ftp://a.example',
      'a..example',
      'a.example:99999',
      'a.example/x',
    ]) {
      expect(() => hostOf(wrong), wrong).toThrow('must be a host name')
    }
    expect(() => readConfig({ FENNEC_PAGES_HOST: 'localhost' })).toThrow('nor one above it')
  })

  test('send no traces, unless the variables of OpenTelemetry name a collector', () => {
    expect(readConfig({}).tracesUrl).toBeUndefined()
    const all = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' }
    expect(readConfig(all).tracesUrl).toBe('http://collector:4318/v1/traces')
    const traces = { ...all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.test/in' }
    expect(readConfig(traces).tracesUrl).toBe('https://traces.test/in')
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }
    expect(() => readConfig(wrong)).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT must be an address beginning with http/)
  })

  test('an empty variable counts as not set', () => {
    expect(readConfig({ FENNEC_LISTEN: '', FENNEC_URL: '' }).listen.port).toBe(8080)
  })
})

describe('a setting', () => {
  test('is read', () => {
    const config = readConfig({
      FENNEC_LISTEN: '0.0.0.0:80',
      FENNEC_URL: 'https://git.example/',
      FENNEC_DATABASE_URL: 'postgres://u:p@db/fennec',
      FENNEC_STORAGES: 'default=/srv/a,fast=/srv/b',
      FENNEC_ROOT_TOKEN: 'x'.repeat(20),
      FENNEC_SSH_LISTEN: '[::1]:2222',
      FENNEC_REGISTRY: 'off',
      FENNEC_REGISTRY_LISTEN: ':5050',
      FENNEC_REGISTRY_GC_GRACE: '0s',
      FENNEC_REGISTRY_UPLOAD_TTL: '90m',
      FENNEC_REGISTRY_REDIRECT: 'true',
      FENNEC_REGISTRY_LEGACY_TAG_DELETE: 'off',
      FENNEC_UPLOADS_REDIRECT: 'on',
      FENNEC_CI_SCHEDULE_WORKER_CRON: '*/5 * * * *',
      FENNEC_CI_SCHEDULE_SOURCE_LABEL: 'schedule',
      FENNEC_CI_SCHEDULE_PLAY_PER_MINUTE: '1',
      FENNEC_AUDIT_KEEP_DAYS: '90',
      FENNEC_SERVICE_ACCOUNTS_ROTATE_REVOKES: 'addressed',
      FENNEC_SERVICE_ACCOUNTS_LIMIT: '7',
      FENNEC_DOMAINS_VERIFICATION: 'static',
      FENNEC_DOMAINS_STATIC_TXT: '{"corp.test":["code"]}',
      FENNEC_SMTP_URL: 'smtp://u:p@mail:25/',
      FENNEC_MAIL_FROM: 'Fennec <git@corp.test>',
      FENNEC_GEO_NODE_NAME: 'berlin',
      FENNEC_GEO_ROLE: 'secondary',
      FENNEC_GEO_PRIMARY_URL: 'http://primary.test/',
      FENNEC_GEO_ACCESS_KEY: 'a'.repeat(20),
      FENNEC_GEO_SECRET_ACCESS_KEY: 's'.repeat(43),
      FENNEC_GEO_POLL_SECONDS: '0.25',
      FENNEC_GEO_STATUS_SECONDS: '5',
      FENNEC_GEO_RETRY_BASE_SECONDS: '1.5',
      FENNEC_GEO_RECONCILE_SECONDS: '600',
      FENNEC_WEBHOOK_TIMEOUT: '30s',
      FENNEC_METRICS_ALLOW: '127.0.0.1, ::1,10.0.0.0/8',
    })
    expect(config).toMatchObject({
      listen: { host: '0.0.0.0', port: 80 },
      url: 'https://git.example',
      databaseUrl: 'postgres://u:p@db/fennec',
      storages: { default: '/srv/a', fast: '/srv/b' },
      sshListen: { host: '::1', port: 2222 },
      registryEnabled: false,
      registryListen: { host: '127.0.0.1', port: 5050 },
      registryGcGraceMs: 0,
      registryUploadTtlMs: 5_400_000,
      registryRedirect: true,
      registryLegacyTagDelete: false,
      uploadsRedirect: true,
      ciScheduleWorkerCron: '*/5 * * * *',
      ciScheduleSourceLabel: 'schedule',
      ciSchedulePlayPerMinute: 1,
      auditKeepDays: 90,
      serviceAccountsRotateRevokes: 'addressed',
      serviceAccountsLimit: 7,
      domainsVerification: 'static',
      domainsStaticTxt: { 'corp.test': ['code'] },
      smtpUrl: 'smtp://u:p@mail:25',
      mailFrom: 'Fennec <git@corp.test>',
      geo: {
        nodeName: 'berlin',
        role: 'secondary',
        primaryUrl: 'http://primary.test',
        accessKey: 'a'.repeat(20),
        secretAccessKey: 's'.repeat(43),
        pollMs: 250,
        statusMs: 5000,
        retryBaseMs: 1500,
        reconcileMs: 600_000,
      },
      webhookTimeoutMs: 30_000,
      metricsAllow: ['127.0.0.1', '::1', '10.0.0.0/8'],
    })
    const several = { FENNEC_DATABASE_URL: 'postgres://db/fennec', FENNEC_WORKERS: '64' }
    expect(readConfig(several).workers).toBe(64)
    const secondary = { ...several, FENNEC_GEO_ROLE: 'secondary', FENNEC_GEO_PRIMARY_URL: 'http://primary.test' }
    const keys = { FENNEC_GEO_ACCESS_KEY: 'a'.repeat(20), FENNEC_GEO_SECRET_ACCESS_KEY: 's'.repeat(20) }
    expect(() => readConfig({ ...secondary, ...keys })).toThrow(/^FENNEC_WORKERS must be 1 on a secondary$/)
    expect(readConfig({ FENNEC_LISTEN: ':9000' }).listen).toEqual({ host: '127.0.0.1', port: 9000 })
  })

  test.each<readonly [name: string, value: string, message: RegExp]>([
    ['FENNEC_DOMAINS_STATIC_TXT', '{"a":"b"}', /^FENNEC_DOMAINS_STATIC_TXT must be a JSON object/],
    ['FENNEC_DOMAINS_STATIC_TXT', '{', /^FENNEC_DOMAINS_STATIC_TXT must be a JSON object/],
    ['FENNEC_GEO_ROLE', 'primary', /^FENNEC_GEO_ROLE must be one of auto, secondary/],
    ['FENNEC_GEO_ROLE', 'secondary', /^FENNEC_GEO_ROLE=secondary needs FENNEC_GEO_PRIMARY_URL, /],
    ['FENNEC_GEO_ACCESS_KEY', 'short', /^FENNEC_GEO_ACCESS_KEY must have at least 20/],
    ['FENNEC_GEO_POLL_SECONDS', '0', /^FENNEC_GEO_POLL_SECONDS must be a number of seconds above 0/],
    ['FENNEC_GEO_STATUS_SECONDS', '-1', /^FENNEC_GEO_STATUS_SECONDS must be a number of seconds above 0/],
    ['FENNEC_LISTEN', 'nowhere', /^FENNEC_LISTEN must be host:port/],
    ['FENNEC_LISTEN', 'a:99999', /^FENNEC_LISTEN must be host:port/],
    ...['0', '-1', '1.5', 'abc', '1000', '65', ' 2'].map(
      (value) => ['FENNEC_WORKERS', value, /^FENNEC_WORKERS must be a whole number from 1 to 64, not '/] as const,
    ),
    ['FENNEC_WORKERS', '2', /^FENNEC_WORKERS must be 1 with SQLite/],
    ['FENNEC_URL', 'git.example', /^FENNEC_URL must be an address/],
    ['FENNEC_URL', 'ftp://x', /^FENNEC_URL must be an address/],
    ['FENNEC_DATABASE_URL', 'mysql://u:secret@h/d', /^FENNEC_DATABASE_URL must be(?!.*secret)/],
    ['FENNEC_OBJECTS_URL', 'gs://key:secret@bucket', /^FENNEC_OBJECTS_URL must be(?!.*secret)/],
    ['FENNEC_STORAGES', 'fast=/srv', /storage called default/],
    ['FENNEC_STORAGES', 'default=relative', /^FENNEC_STORAGES must be a list/],
    ['FENNEC_STORAGES', 'default=/a,default=/b', /names a storage twice/],
    ['FENNEC_STORAGES', 'default=/a,fast=/a/b', /the folder of fast must not be in that of default/],
    ['FENNEC_STORAGES', 'default=/a/,fast=/a', /the folder of default must not be in that of fast/],
    ['FENNEC_STORAGES', `default=/a,${'x'.repeat(101)}=/b`, /must be a list/],
    ['FENNEC_GIT_MEMORY_MIB', '767', /^FENNEC_GIT_MEMORY_MIB must be 0, or 768 or more/],
    ['FENNEC_PUSH_UNPACK_SECONDS', '1.5', /^FENNEC_PUSH_UNPACK_SECONDS must be a whole number/],
    ['FENNEC_ROOT_TOKEN', 'short', /^FENNEC_ROOT_TOKEN must have at least 20 characters$/],
    ['FENNEC_ROOT_PASSWORD', 'short', /^FENNEC_ROOT_PASSWORD must have at least 8/],
    ['FENNEC_SECRET_KEY', 'short', /^FENNEC_SECRET_KEY must have at least/],
    ['FENNEC_METRICS_ALLOW', '10.0.0.0/33', /^FENNEC_METRICS_ALLOW must be a list like .*; '10.0.0.0\/33' is neither/],
    ['FENNEC_METRICS_ALLOW', '127.0.0.1,', /^FENNEC_METRICS_ALLOW must be a list like /],
    ['FENNEC_METRICS_ALLOW', 'localhost', /^FENNEC_METRICS_ALLOW must be a list like /],
    ['FENNEC_METRICS_TOKEN', 'short', /^FENNEC_METRICS_TOKEN must have at least 20 characters$/],
    ['FENNEC_LOG_LEVEL', 'loud', /^FENNEC_LOG_LEVEL must be one of/],
    ['FENNEC_REGISTRY', 'constructor', /^FENNEC_REGISTRY must be true or false/],
    ['FENNEC_REGISTRY_GC_GRACE', '24', /^FENNEC_REGISTRY_GC_GRACE must be a duration/],
    ['FENNEC_REGISTRY_KEY', '/nonexistent/key', /^FENNEC_REGISTRY_KEY: cannot read a private key from/],
    ['FENNEC_REGISTRY_KEY', import.meta.filename, /^FENNEC_REGISTRY_KEY: cannot read a private key from/],
    ['FENNEC_REGISTRY_UPLOAD_TTL', '-1h', /^FENNEC_REGISTRY_UPLOAD_TTL must be a duration/],
    ['FENNEC_CI_SCHEDULE_WORKER_CRON', '0 0 31 2 *', /^FENNEC_CI_SCHEDULE_WORKER_CRON must be a cron expression/],
    ['FENNEC_CI_SCHEDULE_SOURCE_LABEL', 'push', /^FENNEC_CI_SCHEDULE_SOURCE_LABEL must be one of scheduled, schedule/],
    ['FENNEC_CI_SCHEDULE_PLAY_PER_MINUTE', '-1', /^FENNEC_CI_SCHEDULE_PLAY_PER_MINUTE must be a whole number/],
    ['FENNEC_SMTP_URL', 'http://u:secret@mail', /^FENNEC_SMTP_URL must be an address(?!.*secret)/],
    ['FENNEC_MAIL_FROM', 'Fennec', /^FENNEC_MAIL_FROM must be an address like/],
    ['FENNEC_MAIL_FROM', 'a@b.test, c@d.test', /^FENNEC_MAIL_FROM must be an address like/],
    ['FENNEC_LISTE', 'x', /^FENNEC_LISTE is not a setting/],
    ['FENNEC_CONFIG', '/nonexistent/file', /^FENNEC_CONFIG: cannot read/],
  ])('%s=%s stops the start with one line that names it', (name, value, message) => {
    let thrown: unknown
    try {
      readConfig({ [name]: value })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ConfigError)
    expect((thrown as Error).message).toMatch(message)
    expect((thrown as Error).message).not.toContain('\n')
  })
})

describe('the key of the registry', () => {
  test('is an RSA key of 2048 bits or more, and is not shown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fennec-config-'))
    const path = join(folder, 'key.pem')
    const read = async ({ privateKey }: { privateKey: KeyObject }) => {
      const text = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      await writeFile(path, text)
      return { text, config: readConfig({ FENNEC_REGISTRY_KEY: path }) }
    }
    const { text, config } = await read(generateKeyPairSync('rsa', { modulusLength: 2048 }))
    expect(config.registryKey).toBe(text)
    expect(printableConfig(config).registryKey).toBe('[masked]')
    const refused = `FENNEC_REGISTRY_KEY: the key in ${path} must be an RSA key of 2048 bits or more`
    await expect(read(generateKeyPairSync('rsa', { modulusLength: 1024 }))).rejects.toThrow(refused)
    await expect(read(generateKeyPairSync('ec', { namedCurve: 'P-256' }))).rejects.toThrow(refused)
    await rm(folder, { recursive: true })
  })
})

describe('a file', () => {
  test('lies under the environment and over the defaults', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fennec-config-'))
    const path = join(folder, 'fennec.json')
    const read = (content: string, environment = {}) =>
      writeFile(path, content).then(() => readConfig({ FENNEC_CONFIG: path, ...environment }))
    const content = JSON.stringify({ FENNEC_LISTEN: ':1', FENNEC_URL: 'http://file' })
    expect(await read(content, { FENNEC_URL: 'http://environment' })).toMatchObject({
      listen: { port: 1 },
      url: 'http://environment',
    })
    await expect(read('{"FENNEC_LISTEN": 5}')).rejects.toThrow('FENNEC_LISTEN')
    await expect(read('{"FENNEC_LISTEN": "x"}')).rejects.toThrow(`FENNEC_LISTEN in ${path} must be`)
    await expect(read('[]')).rejects.toThrow('one JSON object')
    await expect(read('{')).rejects.toThrow('cannot read')
    await expect(read('{"FENNEC_WRONG": "x"}')).rejects.toThrow('FENNEC_WRONG')
    await rm(folder, { recursive: true })
  })
})

test('is printed without its secrets', () => {
  const secrets = [
    'token-that-is-secret-x',
    'password-that-is-secret',
    'k'.repeat(40),
    'database-secret',
    'access-key',
    'mailer',
    'token-for-metrics-only',
  ]
  const config = readConfig({
    FENNEC_ROOT_TOKEN: secrets[0],
    FENNEC_ROOT_PASSWORD: secrets[1],
    FENNEC_SECRET_KEY: secrets[2],
    FENNEC_DATABASE_URL: `postgres://user:${secrets[3]}@db/x`,
    FENNEC_SMTP_URL: `smtp://user:${secrets[5]}@mail`,
    FENNEC_METRICS_TOKEN: secrets[6],
    FENNEC_OBJECTS_URL: `s3://id:${secrets[4]}@b/p?endpoint=http://id:${secrets[4]}@s3:9000&region=eu&secret=${secrets[4]}`,
  })
  const printed = JSON.stringify(printableConfig(config))
  for (const secret of secrets) expect(printed).not.toContain(secret)
  expect(printed).toContain('postgres://user:[masked]@db/x')
  expect(printed).toContain('s3://id:[masked]@b/p?endpoint=http://id:[masked]@s3:9000&region=eu&secret=[masked]')
})
