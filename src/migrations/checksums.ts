/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: 'f5cedde41df2602007289b81792f646a78b3093d99b7afef0bfe9ff71ee405d9',
    postgres: '9bb51b52c9233d8ee96caf48fd2d4b02061183391309f2afea0b5e7402cd3e57',
  },
} as const
