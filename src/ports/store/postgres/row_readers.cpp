#include "ports/store/postgres/row_readers.h"

namespace weft::postgres {

Result<std::int64_t> read_number(Pool& pool, const Query& query) {
  WEFT_TRY(const Rows rows, pool.run(query));
  return rows.count() > 0 && !Row(rows, 0).is_null(0) ? Row(rows, 0).integer(0) : 0;
}

}  // namespace weft::postgres
