import { Type } from '../../../api/index.ts'

/** A template with its content (contract 24, Template). */
export const Template = Type.Object({ name: Type.String(), content: Type.String() }, { title: 'Template' })

/** A template in a list (contract 24, TemplateEntry). */
export const TemplateEntry = Type.Object({ key: Type.String(), name: Type.String() }, { title: 'TemplateEntry' })
