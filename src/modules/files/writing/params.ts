import { type ParamValues, t } from '../../../api/index.ts'
import { encodings } from '../../commits/index.ts'

/** Parameters of every operation that writes a file. */
export const fileWrite = {
  branch: t.requiredNotBlank({ description: 'Branch of the commit; created when `start_branch` is given.' }),
  commit_message: t.requiredNotBlank(),
  start_branch: t.string({ description: 'Branch to start from.' }),
  author_name: t.string(),
  author_email: t.string(),
}
export type FileWrite = ParamValues<typeof fileWrite>

export const fileContent = {
  content: t.required(t.string()),
  encoding: t.oneOf(encodings, { description: 'Default `text`.' }),
  execute_filemode: t.boolean({ description: 'Whether the file is executable.' }),
}

export const lastCommit = {
  last_commit_id: t.string({ description: 'Last commit of the file known to the caller; refused when outdated.' }),
}

/** Parameters of x.files_upload. */
export const fileUpload = {
  ...fileWrite,
  file: t.requiredFile({ description: 'The file, as a part of a multipart form; its name is that of the new file.' }),
  directory: t.string({ description: 'Directory of the new file; default the root.' }),
}
