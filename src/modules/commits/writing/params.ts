import { type Param, t } from '../../../api/index.ts'
import { actionKinds, encodings, type FileAction } from './actions.ts'

const members = t.object({
  action: t.required(t.oneOf(actionKinds)),
  file_path: t.required(t.string({ description: 'From the root of the repository.' })),
  previous_path: t.string({ description: 'What the file is called that moves.' }),
  content: t.string({
    description: 'Needed for an update; without, a new file is empty and a moved one stays as it is.',
  }),
  encoding: t.oneOf(encodings, { description: 'Default `text`.' }),
  last_commit_id: t.string({ description: 'The commit that changed the file last, as far as the caller knows.' }),
  execute_filemode: t.boolean({ description: 'Whether the file is a program; needed for `chmod`.' }),
})

/** What an action needs besides its path. */
const needed: Partial<Record<FileAction['action'], 'content' | 'previous_path' | 'execute_filemode'>> = {
  update: 'content',
  move: 'previous_path',
  chmod: 'execute_filemode',
}

/** An action of a commit: which members are needed hangs on what it does (contract 22, x.commits_create). */
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

const list = t.array(action, { description: 'Done in this order; each sees what those before it did.' })

/** At least one action. */
export const actions: Param<FileAction[], true> = {
  ...t.required(list),
  read(value, name, problems) {
    const read = list.read(value, name, problems)
    if (read?.length !== 0) return read
    problems.push({ name, missing: false, text: 'is empty' })
    return undefined
  },
}
