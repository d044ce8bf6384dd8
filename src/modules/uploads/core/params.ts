import { badRequest, type Param, t } from '../../../api/index.ts'

const text = t.string({ description: 'Name of the file, percent-encoded.', example: 'dk.png' })

/** The name of a file in the request's path: one component (contract 08, 3.4). */
export const filename: Param<string, true> = t.required({
  ...text,
  read(value, name, problems) {
    const read = text.read(value, name, problems)
    if (read === undefined || !/[/\\]|^\.\.?$/.test(read)) return read
    problems.push({ name, missing: false, text: 'should be a valid file path' })
    return undefined
  },
})

export const uploadId = t.id()

/** The error for a body that is no multipart form (contract 3.1). */
export const malformedForm = () => badRequest('invalid multipart body')

/** The file of a new upload. */
export const newFile = t.requiredFile({ description: 'The file, as a part of a multipart form with a file name.' })
