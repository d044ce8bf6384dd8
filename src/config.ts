import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Edition, offerings, tiers } from './config/edition.ts'
import { type PagesHost, pagesHost } from './config/pages-host.ts'
import { ConfigError, type Environment, type Read, reader } from './config/source.ts'
import {
  address,
  addressOf,
  count,
  cron,
  duration,
  flag,
  mailAddress,
  mask,
  networks,
  rsaKey,
  seconds,
  secret,
  storages,
  textLists,
  url,
  wordOf,
} from './config/values.ts'

export { type Edition, hasTier, type Offering, type Tier, wholeEdition } from './config/edition.ts'
export { isBelowHost, type PagesHost } from './config/pages-host.ts'
export { ConfigError } from './config/source.ts'

/** How the server replicates: as the primary, as a secondary, or not at all (contract 15). */
export type GeoConfig = {
  /** Name of the own record; undefined: the address of the server. */
  nodeName: string | undefined
  /** Of `auto`, the own record decides. A secondary serves copies of the primary, and passes on everything else. */
  role: 'auto' | 'secondary'
  /** Where a secondary reaches the primary, and the credentials that the primary has issued for it. */
  primaryUrl: string | undefined
  accessKey: string | undefined
  secretAccessKey: string | undefined
  /** Time between two requests of a secondary for its own record. */
  pollMs: number
  /** Time between two reports of its status. */
  statusMs: number
  /** Delay before the first repetition of a failed transfer. */
  retryBaseMs: number
  /** Time between two comparisons with everything that the primary has. */
  reconcileMs: number
}

/** The configuration of a server. It does not change while the server runs. */
export type Config = {
  /** Address of the HTTP server. */
  listen: { host: string; port: number }
  /** How many processes serve. */
  workers: number
  /** URL under which clients reach the server, without a trailing slash; undefined: the address that it listens on. */
  url: string | undefined
  /** Folder for the data of the server. */
  data: string
  /** `sqlite:<path>` or `postgres://…`. */
  databaseUrl: string
  /** Location of the object store: `file://<folder>` or `s3://<bucket>/<prefix>?endpoint=…`. */
  objectsUrl: string
  /** Folders of the git repositories by storage name; one is named `default`. */
  storages: Record<string, string>
  /** Address for git over SSH; undefined: not served. */
  sshListen: { host: string; port: number } | undefined
  /** How much memory one git process may allocate, in MiB; 0: no limit. */
  gitMemoryMib: number
  /** How much processor time git may take to unpack a small push, in seconds; 0: no limit. */
  pushUnpackSeconds: number
  /** How large the objects of a push may be when they are unpacked, in MiB; 0: no limit. */
  pushUnpackedMib: number
  /** How long a search of repositories may take, in milliseconds. */
  searchMs: number
  /** How much one of them finds at the most. */
  searchHits: number
  /** How many of them run at once in a process. */
  searchAtOnce: number
  /** In how many repositories one search looks at the most. */
  searchMaxRepositories: number
  /** From which size on the files of a repository are indexed for searches, in bytes. */
  searchIndexBytes: number
  /** Whether images can be pushed and pulled. */
  registryEnabled: boolean
  /** Address of a second listener for the container registry only; undefined: only the HTTP server serves it. */
  registryListen: { host: string; port: number } | undefined
  /** URL under which clients reach the container registry; undefined: that of the server. */
  registryUrl: string | undefined
  /** Claim `iss` of the tokens of the registry (contract 02 R3). */
  registryIssuer: string
  /** The private RSA key that signs these tokens, as PEM; undefined: generated and stored in the database. */
  registryKey: string | undefined
  /** How long images that nothing refers to are retained. */
  registryGcGraceMs: number
  /** How long an unfinished upload of an image is retained without a request. */
  registryUploadTtlMs: number
  /** Whether clients are redirected to the object store for the contents of images, where it offers addresses. */
  registryRedirect: boolean
  /** Whether the deprecated address for deleting a tag is served (contract 1.10b). */
  registryLegacyTagDelete: boolean
  /** Whether clients are redirected to the object store for uploads, where it offers addresses (contract 08). */
  uploadsRedirect: boolean
  /** Requests of Unleash clients of one project in a minute; 0: without a limit. */
  unleashPerMinute: number
  /** Whether packages can be published and installed (contract 23, EOFF). */
  packagesEnabled: boolean
  /** Whether clients are redirected to the object store for files of packages, where it offers addresses (contract 23 R7). */
  packagesRedirect: boolean
  /** Whether sites of projects are published and served (contract 24, Pages). */
  pagesEnabled: boolean
  /** The host below which sites are, with what else their addresses have in common; undefined: `pages.` and that of the server. */
  pagesHost: PagesHost | undefined
  /** Address of a second listener for sites only; undefined: only the HTTP server serves them. */
  pagesListen: { host: string; port: number } | undefined
  /** Whether the access levels of projects hold for their sites. */
  pagesAccessControl: boolean
  /** When the runs of pipeline schedules are created, at the earliest; a cron expression in UTC (contract 04, Scheduling). */
  ciScheduleWorkerCron: string
  /** The source of pipelines in the list of those of a schedule (contract 2.13). */
  ciScheduleSourceLabel: 'scheduled' | 'schedule'
  /** How often a user may play one schedule in a minute; 0: no limit (contract 2.18). */
  ciSchedulePlayPerMinute: number
  /** After how many days audit events are deleted; 0: never (contract 26 R5). */
  auditKeepDays: number
  /** Which tokens of a service account a rotation revokes: the addressed one, or all active ones (contract 3.28). */
  serviceAccountsRotateRevokes: 'all' | 'addressed'
  /** How many service accounts the instance may have; 0: no limit (contract 3.25). */
  serviceAccountsLimit: number
  /** Where the codes of domains are looked up: in the DNS, or in `domainsStaticTxt` (contract 13). */
  domainsVerification: 'dns' | 'static'
  /** Texts by name, in place of the DNS. */
  domainsStaticTxt: Record<string, string[]>
  /** The SMTP server that delivers mail; undefined: no mail is sent. */
  smtpUrl: string | undefined
  /** Address of the sender of mail; undefined: `fennec` at the host of the URL. */
  mailFrom: string | undefined
  /** The replication between installations (contract 15, "Roles and configuration"). */
  geo: GeoConfig
  /** How long the receiver of a webhook has for its answer (contract 21 R7). */
  webhookTimeoutMs: number
  /** Token of the user root; undefined: generated at the first start. */
  rootToken: string | undefined
  /** Password of the user root; undefined: generated at the first start. */
  rootPassword: string | undefined
  /** The instance key as text; undefined: generated and stored in `data`. */
  secretKey: string | undefined
  /** Addresses or networks of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: string[]
  /** Addresses or networks that may read the metrics. */
  metricsAllow: string[]
  /** A token with which all clients may; without it and such addresses, all may without a token. */
  metricsToken: string | undefined
  /** Where a collector of OpenTelemetry takes traces; undefined: none are sent. */
  tracesUrl: string | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Version that the API reports. */
  version: string
  /** The tier and the offering for which the server stands, and whether FIPS holds. */
  edition: Edition
}

/** The process that starts git reserves this much. */
const smallestGitMemoryMib = 768

/** @throws ConfigError for less than git's starter needs */
function gitMemory(read: Read): number {
  const mebibytes = count(read, 'FENNEC_GIT_MEMORY_MIB')
  if (mebibytes === 0 || mebibytes >= smallestGitMemoryMib) return mebibytes
  throw new ConfigError(`FENNEC_GIT_MEMORY_MIB must be 0, or ${smallestGitMemoryMib} or more, not '${mebibytes}'`)
}

/** Without an offering the server is self-managed, and has what only the hosted offering has as well. */
function editionOf(read: Read): Edition {
  const offering = read('FENNEC_OFFERING')
  return {
    tier: wordOf(read('FENNEC_TIER'), tiers),
    offerings: offering ? [wordOf(offering, offerings)] : offerings,
    fips: flag(read, 'FENNEC_FIPS'),
  }
}

/** The address of traces, by the variables that OpenTelemetry has for it: one for traces, or one for all that is sent. */
function tracesUrl(read: Read): string | undefined {
  const protocols = ['http:', 'https:']
  const all = url(read, 'OTEL_EXPORTER_OTLP_ENDPOINT', protocols)
  return url(read, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', protocols) ?? (all && `${all}/v1/traces`)
}

const mostWorkers = 64

/** @throws ConfigError for several that one database cannot serve, or that would do the work of a secondary twice */
function workerCount(read: Read, databaseUrl: string, { role }: GeoConfig): number {
  const source = read('FENNEC_WORKERS')
  const workers = /^\d{1,3}$/.test(source.value) ? Number(source.value) : 0
  if (workers < 1 || workers > mostWorkers) {
    throw new ConfigError(`${source.from} must be a whole number from 1 to ${mostWorkers}, not '${source.value}'`)
  }
  if (workers > 1 && databaseUrl.startsWith('sqlite:')) {
    throw new ConfigError(`${source.from} must be 1 with SQLite, which one process serves; several need PostgreSQL`)
  }
  if (workers > 1 && role === 'secondary') throw new ConfigError(`${source.from} must be 1 on a secondary`)
  return workers
}

/** @throws ConfigError when a secondary does not know its primary */
function geoConfig(read: Read): GeoConfig {
  const role = wordOf(read('FENNEC_GEO_ROLE'), ['auto', 'secondary'])
  const primary = {
    primaryUrl: url(read, 'FENNEC_GEO_PRIMARY_URL', ['http:', 'https:']),
    accessKey: secret(read, 'FENNEC_GEO_ACCESS_KEY', 20),
    secretAccessKey: secret(read, 'FENNEC_GEO_SECRET_ACCESS_KEY', 20),
  }
  if (role === 'secondary' && Object.values(primary).includes(undefined)) {
    throw new ConfigError(
      'FENNEC_GEO_ROLE=secondary needs FENNEC_GEO_PRIMARY_URL, FENNEC_GEO_ACCESS_KEY and FENNEC_GEO_SECRET_ACCESS_KEY',
    )
  }
  return {
    nodeName: read('FENNEC_GEO_NODE_NAME')?.value,
    role,
    ...primary,
    pollMs: seconds(read, 'FENNEC_GEO_POLL_SECONDS'),
    statusMs: seconds(read, 'FENNEC_GEO_STATUS_SECONDS'),
    retryBaseMs: seconds(read, 'FENNEC_GEO_RETRY_BASE_SECONDS'),
    reconcileMs: seconds(read, 'FENNEC_GEO_RECONCILE_SECONDS'),
  }
}

/**
 * Reads the configuration: the environment over the optional file that `FENNEC_CONFIG` names (one JSON object with the same
 * names) over the defaults (`config/settings.ts`).
 * @throws ConfigError that names the setting
 */
export function readConfig(environment: Environment): Config {
  const read = reader(environment)
  const data = resolve(read('FENNEC_DATA').value)
  const databaseUrl =
    url(read, 'FENNEC_DATABASE_URL', ['postgres:', 'postgresql:', 'sqlite:']) ?? `sqlite:${join(data, 'fennec.db')}`
  const geo = geoConfig(read)
  return {
    listen: addressOf(read('FENNEC_LISTEN')),
    workers: workerCount(read, databaseUrl, geo),
    url: url(read, 'FENNEC_URL', ['http:', 'https:']),
    data,
    databaseUrl,
    objectsUrl: url(read, 'FENNEC_OBJECTS_URL', ['file:', 's3:']) ?? `file://${join(data, 'objects')}`,
    storages: storages(read, data),
    sshListen: address(read, 'FENNEC_SSH_LISTEN'),
    gitMemoryMib: gitMemory(read),
    pushUnpackSeconds: count(read, 'FENNEC_PUSH_UNPACK_SECONDS'),
    pushUnpackedMib: count(read, 'FENNEC_PUSH_UNPACKED_MIB'),
    searchMs: seconds(read, 'FENNEC_SEARCH_SECONDS'),
    searchHits: count(read, 'FENNEC_SEARCH_HITS'),
    searchAtOnce: Math.max(1, count(read, 'FENNEC_SEARCH_AT_ONCE')),
    searchMaxRepositories: count(read, 'FENNEC_SEARCH_MAX_REPOSITORIES'),
    searchIndexBytes: count(read, 'FENNEC_SEARCH_INDEX_MIB') * 1024 * 1024,
    registryEnabled: flag(read, 'FENNEC_REGISTRY'),
    registryListen: address(read, 'FENNEC_REGISTRY_LISTEN'),
    registryUrl: url(read, 'FENNEC_REGISTRY_URL', ['http:', 'https:']),
    registryIssuer: read('FENNEC_REGISTRY_ISSUER').value,
    registryKey: rsaKey(read, 'FENNEC_REGISTRY_KEY'),
    registryGcGraceMs: duration(read, 'FENNEC_REGISTRY_GC_GRACE'),
    registryUploadTtlMs: duration(read, 'FENNEC_REGISTRY_UPLOAD_TTL'),
    registryRedirect: flag(read, 'FENNEC_REGISTRY_REDIRECT'),
    registryLegacyTagDelete: flag(read, 'FENNEC_REGISTRY_LEGACY_TAG_DELETE'),
    uploadsRedirect: flag(read, 'FENNEC_UPLOADS_REDIRECT'),
    unleashPerMinute: count(read, 'FENNEC_UNLEASH_PER_MINUTE'),
    packagesEnabled: flag(read, 'FENNEC_PACKAGES'),
    packagesRedirect: flag(read, 'FENNEC_PACKAGES_REDIRECT'),
    pagesEnabled: flag(read, 'FENNEC_PAGES'),
    pagesHost: pagesHost(read, url(read, 'FENNEC_URL', ['http:', 'https:'])),
    pagesListen: address(read, 'FENNEC_PAGES_LISTEN'),
    pagesAccessControl: flag(read, 'FENNEC_PAGES_ACCESS_CONTROL'),
    ciScheduleWorkerCron: cron(read, 'FENNEC_CI_SCHEDULE_WORKER_CRON'),
    ciScheduleSourceLabel: wordOf(read('FENNEC_CI_SCHEDULE_SOURCE_LABEL'), ['scheduled', 'schedule']),
    ciSchedulePlayPerMinute: count(read, 'FENNEC_CI_SCHEDULE_PLAY_PER_MINUTE'),
    auditKeepDays: count(read, 'FENNEC_AUDIT_KEEP_DAYS'),
    serviceAccountsRotateRevokes: wordOf(read('FENNEC_SERVICE_ACCOUNTS_ROTATE_REVOKES'), ['all', 'addressed']),
    serviceAccountsLimit: count(read, 'FENNEC_SERVICE_ACCOUNTS_LIMIT'),
    domainsVerification: wordOf(read('FENNEC_DOMAINS_VERIFICATION'), ['dns', 'static']),
    domainsStaticTxt: textLists(read, 'FENNEC_DOMAINS_STATIC_TXT'),
    smtpUrl: url(read, 'FENNEC_SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: mailAddress(read, 'FENNEC_MAIL_FROM'),
    geo,
    webhookTimeoutMs: duration(read, 'FENNEC_WEBHOOK_TIMEOUT'),
    rootToken: secret(read, 'FENNEC_ROOT_TOKEN', 20),
    rootPassword: secret(read, 'FENNEC_ROOT_PASSWORD', 8),
    secretKey: secret(read, 'FENNEC_SECRET_KEY', 32),
    trustedProxies: (read('FENNEC_TRUSTED_PROXIES')?.value ?? '').split(',').filter((entry) => entry !== ''),
    metricsAllow: networks(read, 'FENNEC_METRICS_ALLOW'),
    metricsToken: secret(read, 'FENNEC_METRICS_TOKEN', 20),
    tracesUrl: tracesUrl(read),
    logLevel: wordOf(read('FENNEC_LOG_LEVEL'), ['debug', 'info', 'warn', 'error', 'silent']),
    version: read('FENNEC_VERSION').value,
    edition: editionOf(read),
  }
}

/** A configuration whose data are all in `folder`, except storages that were set, for a temporary server. */
export function memoryConfig(base: Config, folder: string): Config {
  return {
    ...base,
    data: folder,
    workers: 1,
    databaseUrl: `sqlite:${join(folder, 'fennec.db')}`,
    objectsUrl: `file://${join(folder, 'objects')}`,
    storages:
      base.storages.default === join(base.data, 'repositories')
        ? { default: join(folder, 'repositories') }
        : base.storages,
  }
}

/** The folder for temporary folders. */
export const temporaryFolder = tmpdir()

/** Masks what does not belong to the location of the objects as well, such as an access key in a parameter. */
function maskLocation(text: string): string {
  return mask(text).replace(/([?&](?!(?:endpoint|region|path-style)=)[^=&]*=)[^&]*/g, '$1[masked]')
}

/** The configuration with secrets masked, for output. */
export function printableConfig(config: Config): Record<string, unknown> {
  const hidden = (value: string | undefined) => (value === undefined ? undefined : '[masked]')
  return {
    ...config,
    databaseUrl: mask(config.databaseUrl),
    objectsUrl: maskLocation(config.objectsUrl),
    smtpUrl: config.smtpUrl && mask(config.smtpUrl),
    tracesUrl: config.tracesUrl && mask(config.tracesUrl),
    rootToken: hidden(config.rootToken),
    rootPassword: hidden(config.rootPassword),
    secretKey: hidden(config.secretKey),
    metricsToken: hidden(config.metricsToken),
    geo: {
      ...config.geo,
      accessKey: hidden(config.geo.accessKey),
      secretAccessKey: hidden(config.geo.secretAccessKey),
    },
    registryKey: hidden(config.registryKey),
  }
}

/** The folder for files of requests, which are removed with their request. */
export function requestFolder({ data }: Pick<Config, 'data'>): string {
  return join(data, 'tmp')
}

/** The file in which the first start stores a generated token of root. */
export function rootTokenFile({ data }: Pick<Config, 'data'>): string {
  return join(data, 'root-token')
}

/** An address for people and clients: what is configured, or where the server really listens. */
export function externalUrlOf({ url, listen: { host } }: Pick<Config, 'url' | 'listen'>, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  const bracketed = reachable.includes(':') ? `[${reachable}]` : reachable
  return url ?? `http://${bracketed}${port === 80 ? '' : `:${port}`}`
}
