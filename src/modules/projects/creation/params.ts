import { type ParamValues, t } from '../../../api/index.ts'
import { writableParams } from '../settings/params.ts'

export const creationParams = {
  ...writableParams,
  namespace_id: t.integer({ description: 'Namespace of the project; the personal namespace by default' }),
  initialize_with_readme: t.boolean({ description: 'Makes a first commit with a README.md' }),
  import_url: t.string({ description: 'Repository to import, over http, https or git' }),
  template_name: t.string(),
  template_project_id: t.integer(),
  repository_object_format: t.oneOf(['sha1', 'sha256']),
}

/** Parameters that exclude each other. */
export const exclusive = [['import_url', 'template_name', 'template_project_id']] as const

export type CreateParams = ParamValues<typeof creationParams>
