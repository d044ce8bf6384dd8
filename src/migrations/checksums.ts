/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '119287ab9fc2290644e4abc432150f94ccef967d4fef3d019385ee7afb746cc7',
    postgres: '3e03cd237084648e624efa991db66cafd0e72deee4649a15825f408f6d67fcaa',
  },
} as const
