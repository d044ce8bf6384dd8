import { createHash } from 'node:crypto'
import { instance, nullable, type Scopes, Type } from '../../api/index.ts'
import { operation, type Platform } from '../../platform/index.ts'

/** Also readable with `read_user`, unlike other reads (contract 20, R1). */
const scopes: Scopes = ['api', 'read_api', 'read_user']

const Metadata = Type.Object(
  {
    version: Type.String({ examples: ['17.7.0-ee'] }),
    revision: Type.String({ description: 'Eleven hexadecimal digits that identify the code' }),
    kas: Type.Object({
      enabled: Type.Boolean(),
      externalUrl: nullable(Type.String()),
      externalK8sProxyUrl: nullable(Type.String()),
      version: nullable(Type.String()),
    }),
    enterprise: Type.Boolean(),
  },
  { title: 'Metadata' },
)

/** Eleven digits that identify the code of a version. */
export const revisionOf = (version: string) => createHash('sha256').update(version).digest('hex').slice(0, 11)

/** @param version of the API, which clients compare to know what the server supports (contract 20, "meta") */
function metadataOf(version: string) {
  return {
    version,
    revision: revisionOf(version),
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: version.endsWith('-ee'),
  }
}

const shared = {
  tag: 'Metadata',
  method: 'GET',
  subject: instance,
  allow: 'authenticated',
  scopes,
  result: [200, Metadata],
  run: async ({ platform }: { platform: Platform }) => metadataOf(platform.config.version),
} as const

/** The older name of `/metadata`. */
export const metadataVersion = operation({
  ...shared,
  id: 'metadata.version',
  contract: 'x.version',
  path: '/version',
  summary: 'Read the version of the server',
})

export const metadataMetadata = operation({
  ...shared,
  id: 'metadata.metadata',
  contract: 'x.metadata',
  path: '/metadata',
  summary: 'Read the metadata of the server',
})
