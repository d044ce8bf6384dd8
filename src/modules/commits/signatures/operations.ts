import { reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { commitSignature, Signature } from './signatures.ts'

export const commitsSignature = operation({
  id: 'commits.signature',
  contract: 'x.commits_signature',
  method: 'GET',
  path: '/projects/:id/repository/commits/:sha/signature',
  tag: 'Commits',
  summary: 'Get the signature of a commit',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  result: [200, Signature],
  run: ({ platform, subject, params }) => commitSignature(platform, subject, params.sha),
})
