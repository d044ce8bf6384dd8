import { type Param, type ParamValues, t } from '../../../api/index.ts'
import { actionKinds, encodings, type FileAction } from './actions.ts'

const members = t.object({
  action: t.required(t.oneOf(actionKinds)),
  file_path: t.required(t.string({ description: 'From the root of the repository.' })),
  previous_path: t.string({ description: 'Path of the file to move.' }),
  content: t.string({
    description: 'Required for an update. Without it a new file is empty and a moved file is unchanged.',
  }),
  encoding: t.oneOf(encodings, { description: 'Default `text`.' }),
  last_commit_id: t.string({ description: 'Last commit of the file known to the caller.' }),
  execute_filemode: t.boolean({ description: 'Whether the file is executable; required for `chmod`.' }),
})

/** The parameter that an action requires besides its path. */
const needed: Partial<Record<FileAction['action'], 'content' | 'previous_path' | 'execute_filemode'>> = {
  update: 'content',
  move: 'previous_path',
  chmod: 'execute_filemode',
}

/** An action of a commit; the required members depend on its kind (contract 22, x.commits_create). */
const action: Param<FileAction, false> = {
  ...members,
  read(value, name, problems) {
    const read = members.read(value, name, problems) as FileAction | undefined
    const missing = read && needed[read.action]
    if (missing && read[missing] === undefined) {
      problems.push({ name: `${name}[${missing}]`, missing: true, text: 'is missing' })
    }
    return read
  },
}

const list = t.array(action, {
  description: 'Applied in this order; each action sees the changes of the earlier ones.',
})

/** At least one action. */
const actions: Param<FileAction[], true> = {
  ...t.required(list),
  read(value, name, problems) {
    const read = list.read(value, name, problems)
    if (read?.length !== 0) return read
    problems.push({ name, missing: false, text: 'is empty' })
    return undefined
  },
}

/** Parameters of x.commits_create. */
export const newCommit = {
  branch: t.required(
    t.string({ blank: false, description: 'Branch of the new commit; created when a start is given.' }),
  ),
  commit_message: t.required(t.string({ blank: false })),
  start_branch: t.string({ description: 'Branch to start from.' }),
  start_sha: t.string({ description: 'Commit to start from.' }),
  start_project: t.string({ description: 'Id or path of the project to start from: a fork, or the project forked.' }),
  actions,
  author_name: t.string(),
  author_email: t.string(),
  stats: t.boolean({ description: 'Whether the answer counts lines; default true.' }),
  force: t.boolean({ description: 'Replaces the branch with the start and the new commit.' }),
}
export type NewCommit = ParamValues<typeof newCommit>
