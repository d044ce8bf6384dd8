import { forms, Type } from '../../../api/index.ts'

/** A licence that projects may choose (contract 24, License). */
export const LicenseTemplate = Type.Object(
  {
    key: Type.String({ description: 'The SPDX id in lower case.' }),
    name: Type.String(),
    nickname: forms.nullableString,
    html_url: Type.String(),
    source_url: forms.nullableString,
    popular: Type.Boolean(),
    description: Type.String(),
    conditions: forms.strings,
    permissions: forms.strings,
    limitations: forms.strings,
    content: Type.String(),
  },
  { title: 'LicenseTemplate' },
)
