import { type Param, t, type UploadedFile, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { attachFile, WikiAttachment } from './attachments.ts'

const uploaded = t.file({ description: 'The file, as a part of a multipart form.' })

/** A required file; a text in its place counts as missing. */
const file: Param<UploadedFile, true> = {
  ...t.required(uploaded as Param<UploadedFile, false>),
  read(value, name, problems) {
    const read = uploaded.read(value, name, problems)
    if (read === '') problems.push({ name, missing: true, text: 'is missing' })
    return read || undefined
  },
}

/** Attaching files to project and group wikis (contract 22, x.wikis_attach, x.gwikis_attach). */
export const attachmentOperations = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    id: `${kind}_wikis.attach`,
    contract: kind === 'project' ? 'x.wikis_attach' : 'x.gwikis_attach',
    method: 'POST',
    path: `${path}/wikis/attachments`,
    tag: 'Wikis',
    summary: `Attach a file to the wiki of a ${kind}`,
    subject,
    allow: 'write_wiki',
    scopes: writing,
    params: { file, branch: t.string({ description: 'Branch of the commit; default the branch of the pages.' }) },
    result: [201, WikiAttachment],
    run: ({ platform, subject, actor, params }) => attachFile(platform, subject, actor, params.file, params.branch),
  }),
])
