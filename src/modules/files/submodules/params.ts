import { type ParamValues, t } from '../../../api/index.ts'

/** Parameters of x.repo_submodule. */
export const submoduleUpdate = {
  branch: t.required(t.string({ blank: false, description: 'Branch of the commit.' })),
  commit_sha: t.required(t.string({ blank: false, description: 'Full id of a commit of the submodule.' })),
  commit_message: t.string(),
}
export type SubmoduleUpdate = ParamValues<typeof submoduleUpdate>
