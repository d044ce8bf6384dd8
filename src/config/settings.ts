/** A setting: what it means, and what holds when it is not set. */
export type Setting = {
  /** The text that counts as written when nothing is. */
  default?: string
  /** What holds instead, in words, where no text is written for it. */
  otherwise?: string
  /** What it means, in Markdown; links are relative to `docs/`. */
  description: string
}

/** All settings. `npm run docs` writes `docs/settings.md` from them. */
export const settings = {
  FENNEC_LISTEN: {
    default: '127.0.0.1:8080',
    description: 'host:port of the server',
  },
  FENNEC_WORKERS: {
    default: '1',
    description: 'how many processes serve, on PostgreSQL; see [Several processes](operating.md#several-processes)',
  },
  FENNEC_URL: {
    otherwise: 'where it listens',
    description:
      'address under which clients reach it; a proxy in front must pass encoded `/`, `?` and `@` on undecoded',
  },
  FENNEC_DATA: {
    default: './data',
    description: 'folder for all data',
  },
  FENNEC_DATABASE_URL: {
    otherwise: '`sqlite:<data>/fennec.db`',
    description: 'where the database is: SQLite, or `postgres://…`; see [PostgreSQL](guides/postgresql.md)',
  },
  FENNEC_OBJECTS_URL: {
    otherwise: '`file://<data>/objects`',
    description: 'where large objects are stored: a folder, or a bucket: `s3://bucket/prefix`; see [S3](guides/s3.md)',
  },
  FENNEC_STORAGES: {
    otherwise: '`default=<data>/repositories`',
    description:
      'named roots of repositories: `default=/path,fast=/path2`; they must exist; see [Several storages](operating.md#several-storages)',
  },
  FENNEC_SSH_LISTEN: {
    otherwise: 'off',
    description:
      'host:port of git over SSH, for example `0.0.0.0:22`; the host keys are created once, in `<data>/ssh`, and all nodes need the same ones',
  },
  FENNEC_GIT_MEMORY_MIB: {
    default: '1024',
    description:
      'how much memory one git process may allocate, at least 768; `0`: without a limit; see [Pushes](operating.md#pushes)',
  },
  FENNEC_PUSH_UNPACK_SECONDS: {
    default: '20',
    description:
      'how much processor time git may take to unpack a push, and 2 s more for each MiB that was sent; `0`: without a limit',
  },
  FENNEC_PUSH_UNPACKED_MIB: {
    default: '0',
    description: 'how large the objects of a push may be in all when they are unpacked; `0`: without a limit',
  },
  FENNEC_SEARCH_SECONDS: { default: '5', description: 'how long a search of files, commits or wikis may take' },
  FENNEC_SEARCH_HITS: { default: '1000', description: 'how much such a search finds at the most' },
  FENNEC_SEARCH_AT_ONCE: { default: '4', description: 'how many such searches run at once in one process' },
  FENNEC_SEARCH_MAX_REPOSITORIES: {
    default: '100',
    description:
      'in how many repositories a search of the instance or of a group looks at the most; it is refused where the caller sees more',
  },
  FENNEC_SEARCH_INDEX_MIB: {
    default: '4',
    description:
      'from which size on a repository has an index for searches of its files, in MiB; the index of a repository takes about half of its files',
  },
  FENNEC_REGISTRY: {
    default: 'on',
    description: '`off`: no container registry',
  },
  FENNEC_REGISTRY_LISTEN: {
    otherwise: 'off',
    description: 'host:port of a second listener for the container registry only, for example `0.0.0.0:5050`',
  },
  FENNEC_REGISTRY_URL: {
    otherwise: '`FENNEC_URL`',
    description: 'address under which clients reach the container registry',
  },
  FENNEC_REGISTRY_ISSUER: {
    default: 'fennec-issuer',
    description: 'issuer that the tokens of the container registry name',
  },
  FENNEC_REGISTRY_KEY: {
    otherwise: 'generated, in the database',
    description:
      'PEM file of the RSA key that signs these tokens, the same on all nodes; without it a new key is made every 90 days',
  },
  FENNEC_REGISTRY_GC_GRACE: {
    default: '24h',
    description:
      'how long images are retained that nothing refers to; what was pushed is retained for ten minutes at least',
  },
  FENNEC_REGISTRY_UPLOAD_TTL: {
    default: '24h',
    description: 'how long an unfinished upload is retained without a request',
  },
  FENNEC_REGISTRY_REDIRECT: {
    default: 'off',
    description: '`on`: clients fetch the contents of images from the object store, where it offers addresses',
  },
  FENNEC_REGISTRY_LEGACY_TAG_DELETE: {
    default: 'on',
    description: '`off`: `DELETE /v2/<name>/tags/reference/<tag>`, which is deprecated, is not served',
  },
  FENNEC_UPLOADS_REDIRECT: {
    default: 'off',
    description: '`on`: clients fetch uploads from the object store, where it offers addresses',
  },
  FENNEC_UNLEASH_PER_MINUTE: {
    default: '0',
    description: 'how many requests Unleash clients of one project may send in a minute; `0`: without a limit',
  },
  FENNEC_PACKAGES: { default: 'on', description: '`off`: packages can neither be published nor installed' },
  FENNEC_PACKAGES_REDIRECT: {
    default: 'off',
    description: '`on`: clients fetch files of packages from the object store, where it offers addresses',
  },
  FENNEC_PAGES: { default: 'on', description: '`off`: no sites of projects are published or served' },
  FENNEC_PAGES_HOST: {
    otherwise: '`pages.` and the host of `FENNEC_URL`; `pages.localhost` for an address',
    description:
      'host below which each site has a host of its own: `pages.example`, or with scheme and port `https://pages.example:8443`; see [Pages](guides/pages.md)',
  },
  FENNEC_PAGES_LISTEN: {
    otherwise: 'off',
    description: 'host:port of a second listener for sites only, for example `0.0.0.0:8090`',
  },
  FENNEC_PAGES_ACCESS_CONTROL: {
    default: 'on',
    description: '`off`: every site is open to everyone, whatever the access level of its project says',
  },
  FENNEC_CI_SCHEDULE_WORKER_CRON: {
    default: '* * * * *',
    description:
      'when due pipeline schedules run at the earliest, in UTC: `*/5 * * * *` makes five minutes the shortest interval',
  },
  FENNEC_CI_SCHEDULE_SOURCE_LABEL: {
    default: 'scheduled',
    description: '`source` in the list of the pipelines of a schedule; `schedule`: as in all other answers',
  },
  FENNEC_CI_SCHEDULE_PLAY_PER_MINUTE: {
    default: '0',
    description: 'how often a user may play one pipeline schedule in a minute; `0`: without a limit',
  },
  FENNEC_AUDIT_KEEP_DAYS: {
    default: '0',
    description: 'after how many days audit events are deleted; `0`: never',
  },
  FENNEC_SERVICE_ACCOUNTS_ROTATE_REVOKES: {
    default: 'all',
    description: 'which active tokens of a service account a rotation revokes; `addressed`: only the rotated one',
  },
  FENNEC_SERVICE_ACCOUNTS_LIMIT: {
    default: '0',
    description: 'how many service accounts the instance may have; `0`: without a limit',
  },
  FENNEC_DOMAINS_VERIFICATION: {
    default: 'dns',
    description: 'where the codes of domains are looked up; `static`: only in the next setting',
  },
  FENNEC_DOMAINS_STATIC_TXT: {
    description: 'JSON object of names with lists of texts, in place of TXT records',
  },
  FENNEC_SMTP_URL: {
    otherwise: 'off',
    description:
      'the server that delivers mail: `smtp://user:password@host:port`, or `smtps://…` for TLS from the first byte; without it no mail is sent; see [Mail](guides/mail.md)',
  },
  FENNEC_MAIL_FROM: {
    otherwise: '`Fennec <fennec@host>`',
    description: 'sender of mail; the host is that of `FENNEC_URL`',
  },
  FENNEC_GEO_NODE_NAME: {
    otherwise: '`FENNEC_URL`',
    description: 'name of the own record among the replication nodes',
  },
  FENNEC_GEO_ROLE: {
    default: 'auto',
    description:
      '`secondary`: serve copies of another server, the primary ([Replication](operating.md#replication)); `auto`: the own record decides',
  },
  FENNEC_GEO_PRIMARY_URL: {
    description: 'where a secondary reaches its primary',
  },
  FENNEC_GEO_ACCESS_KEY: {
    description: 'access key of a secondary, issued by the primary',
  },
  FENNEC_GEO_SECRET_ACCESS_KEY: {
    description: 'secret of that access key',
  },
  FENNEC_GEO_POLL_SECONDS: {
    default: '10',
    description: 'how often a secondary reads its own record',
  },
  FENNEC_GEO_STATUS_SECONDS: {
    default: '60',
    description: 'how often a secondary reports its status',
  },
  FENNEC_GEO_RETRY_BASE_SECONDS: {
    default: '60',
    description: 'delay before a secondary repeats a failed transfer, doubled with each failure up to an hour',
  },
  FENNEC_GEO_RECONCILE_SECONDS: {
    default: '3600',
    description: 'how often a secondary compares its copies with everything that the primary has',
  },
  FENNEC_TIER: {
    default: 'ultimate',
    description:
      'the tier for which the server stands: `ultimate`, `premium` or `free`; operations, parameters and fields of higher tiers are refused, ignored and left out',
  },
  FENNEC_OFFERING: {
    description:
      '`self-managed`, `dedicated`, `hosted`: only what this offering has; without the setting, what only `hosted` has is there as well',
  },
  FENNEC_FIPS: {
    default: 'off',
    description: '`on`: no MD5 fingerprints of keys',
  },
  FENNEC_WEBHOOK_TIMEOUT: {
    default: '10s',
    description: 'how long the receiver of a webhook has for its answer',
  },
  FENNEC_ROOT_TOKEN: {
    otherwise: 'generated',
    description: 'first token of root, at least 20 characters',
  },
  FENNEC_ROOT_PASSWORD: {
    otherwise: 'generated',
    description: 'first password of root, at least 8 characters',
  },
  FENNEC_SECRET_KEY: {
    otherwise: '`<data>/secret-key`',
    description: 'key that encrypts stored secrets; all nodes need the same one',
  },
  FENNEC_TRUSTED_PROXIES: {
    description:
      'addresses or networks of proxies whose `X-Forwarded-For` is trusted, separated by commas; see [Proxies](guides/proxies.md)',
  },
  FENNEC_METRICS_ALLOW: {
    description: 'addresses and networks that may read `/-/metrics`, such as `127.0.0.1,10.0.0.0/8`; others get 404',
  },
  FENNEC_METRICS_TOKEN: {
    description:
      'bearer token with which any address may read `/-/metrics`, at least 20 characters; others get 401; without both settings all clients may read them',
  },
  FENNEC_LOG_LEVEL: {
    default: 'info',
    description: 'what is logged: `debug`, `info`, `warn`, `error`, `silent`',
  },
  FENNEC_VERSION: {
    default: '17.7.0-ee',
    description: 'version that the API reports',
  },
  FENNEC_CONFIG: {
    description: 'a JSON file with settings by these names, as texts; the environment overrides it',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'where a collector of OpenTelemetry takes [traces](guides/watching.md#traces), at `/v1/traces` below it',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    description: 'the whole address for traces, in place of the one above',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

/** Names of the settings that always have a text. */
export type DefaultedName = {
  [Name in SettingName]: (typeof settings)[Name] extends { default: string } ? Name : never
}[SettingName]
