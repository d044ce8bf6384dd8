import { createHash } from 'node:crypto'
import { instance, nullable, type Operation, operation, type Scopes, Type } from '../../api/index.ts'

/** The version of the API's behaviour that the server reports unless it is configured otherwise (contract 20). */
export const defaultVersion = '17.7.0-ee'

/** Besides the scopes of every read, `read_user` will do (contract 20, R1). */
const scopes: Scopes = ['api', 'read_api', 'read_user']

const metadataSchema = Type.Object(
  {
    version: Type.String({ examples: [defaultVersion] }),
    revision: Type.String({ description: 'Eleven hexadecimal digits that stand for the state of the code' }),
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

type Facts = {
  /** What clients compare to know what the server can do, such as `17.7.0-ee`. */
  version?: string
  /** Eleven hexadecimal digits; derived from the version unless told. */
  revision?: string
}

/** What the server says of itself: `/metadata`, and the same under its older name `/version` (contract 20, "meta"). */
export function metadataOperations({
  version = defaultVersion,
  revision = revisionOf(version),
}: Facts = {}): Operation[] {
  const metadata = {
    version,
    revision,
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: version.endsWith('-ee'),
  }
  const read = (name: string, summary: string) =>
    operation({
      id: `metadata.${name}`,
      contract: `x.${name}`,
      method: 'GET',
      path: `/${name}`,
      tag: 'Metadata',
      summary,
      subject: instance,
      allow: 'authenticated',
      scopes,
      result: [200, metadataSchema],
      run: async () => metadata,
    })
  return [read('version', 'Read the version of the server'), read('metadata', 'Read the metadata of the server')]
}

function revisionOf(version: string): string {
  return createHash('sha256').update(version).digest('hex').slice(0, 11)
}
