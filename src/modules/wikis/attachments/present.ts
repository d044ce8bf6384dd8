import { type Static, Type } from '../../../api/index.ts'

/** An attached file (contract 22, x.wikis_attach). */
export const WikiAttachment = Type.Object(
  {
    file_name: Type.String(),
    file_path: Type.String(),
    branch: Type.String(),
    link: Type.Object({ url: Type.String(), markdown: Type.String() }),
  },
  { title: 'WikiAttachment' },
)
export type PresentedAttachment = Static<typeof WikiAttachment>
