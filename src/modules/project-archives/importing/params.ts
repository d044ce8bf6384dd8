import { type ParamValues, t } from '../../../api/index.ts'
import { writableParams } from '../../projects/index.ts'

const { avatar: _avatar, ...overridable } = writableParams

/** Parameters of a project that win over what its archive says: those of its change, but for the picture. */
const overrideParams = t.object(overridable, { description: 'Attributes that win over those of the archive' })

/** Attributes of a project that win over those of its archive. */
export type Overrides = ParamValues<typeof overridable>

const destination = {
  path: t.required(t.string({ blank: false, description: 'Path of the new project' })),
  name: t.string({ description: 'Name of the new project; by default the path' }),
  namespace: t.string({ description: 'Id or path of the namespace; by default that of the caller' }),
  overwrite: t.boolean({ description: 'Replaces the project of that path once the import is finished' }),
  override_params: overrideParams,
}

/** Where a project is imported to. */
export type Destination = ParamValues<typeof destination>

export const fileParams = {
  file: t.requiredFile({ description: 'An archive of a project, `.tar.gz`' }),
  ...destination,
}

export const remoteParams = { url: t.required(t.string({ blank: false })), ...destination }

const text = t.required(t.string({ blank: false }))

export const s3Params = {
  ...{ region: text, bucket_name: text, file_key: text, access_key_id: text, secret_access_key: text },
  ...destination,
}
