import { t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { largestAttachmentBytes } from '../../uploads/index.ts'
import { attachFile, WikiAttachment } from './attachments.ts'

/** Attaching files to project and group wikis (contract 22, x.wikis_attach, x.gwikis_attach). */
export const attachmentOperations = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    ...(kind === 'group' && { tier: 'premium' as const }),
    id: `${kind}_wikis.attach`,
    contract: kind === 'project' ? 'x.wikis_attach' : 'x.gwikis_attach',
    method: 'POST',
    path: `${path}/wikis/attachments`,
    tag: 'Wikis',
    summary: `Attach a file to the wiki of a ${kind}`,
    subject,
    allow: 'write_wiki',
    scopes: writing,
    largestFileBytes: largestAttachmentBytes,
    params: {
      file: t.requiredFile({ description: 'The file, as a part of a multipart form.' }),
      branch: t.string({ description: 'Branch of the commit; default the branch of the pages.' }),
    },
    result: [201, WikiAttachment],
    run: ({ platform, subject, actor, params }) => attachFile(platform, subject, actor, params.file, params.branch),
  }),
])
