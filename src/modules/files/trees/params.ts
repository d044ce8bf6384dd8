import { type ParamValues, t } from '../../../api/index.ts'
import { optionalRef } from '../reading/params.ts'

/** Parameters of x.repo_tree. */
export const treeFilter = {
  ref: optionalRef,
  path: t.string({ description: 'Directory; default the root.' }),
  recursive: t.boolean({ description: 'Whether everything below the directory is listed.' }),
  last_commits: t.boolean({ description: 'With the last commit that changed each entry; not of recursive lists.' }),
  pagination: t.oneOf(['legacy', 'keyset', 'none'], {
    description: '`none` lists everything at once; it requires `recursive`.',
  }),
}
export type TreeFilter = ParamValues<typeof treeFilter>
