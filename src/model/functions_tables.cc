// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "base/text_encoding.h"
#include "language/lex.h"
#include "model/check_sizes.h"
#include "model/class_builder.h"
#include "model/describe_model.h"

namespace cotree {

namespace messages = model_messages;

// --- Functions ---------------------------------------------------------------------------------------

// Null if the function is being defined: it calls itself.
FunctionDefinition* ModelBuilder::FunctionNamed(DeclarationId id) {
  const auto known = functions_.find(id.value);
  if (known != functions_.end()) return known->second.building ? nullptr : &known->second;
  FunctionDefinition& function = functions_[id.value];
  function.building = true;
  declarations.TreeOf(id);
  ClassBuilder builder(*this, declarations[id].tree);
  builder.LowerFunction(declarations[id].node, function);
  function.building = false;
  return &function;
}

void ClassBuilder::LowerFunction(NodeId node, FunctionDefinition& function) {
  class_.name = builder_.Intern(tree_->Name(node));
  NodeId result_type, body;
  bool ok = true;
  for (const NodeId child : tree_->Children(node)) {
    switch (tree_->kind(child)) {
      case NodeKind::kFunctionParameter: {
        Type type;
        const NodeId type_node = tree_->Child(child, NodeKind::kType);
        if (!type_node.IsNone()) {
          ok = builder_.ResolveType(*tree_, type_node, &class_.generics, type) && ok;
        } else {
          type.declared = true;
          type.unit = "1";
        }
        const SymbolId symbol =
            pool_.DeclareSymbol(std::string(tree_->Name(node)) + "(" + std::string(tree_->Name(child)) + ")",
                                SymbolKind::kVariable);
        Value value = Number(0, false);
        value.expr = pool_.Symbol(symbol);
        value.base = type.base;
        value.enumeration = type.enumeration;
        value.dim = DimOf(type);
        value.kind = type.kind;
        if (type.dimension.generics.empty()) value.unit = type.unit;
        function.parameters.push_back(type);
        function.symbols.push_back(symbol);
        locals_.push_back({builder_.Intern(tree_->Name(child)), value});
        break;
      }
      case NodeKind::kType:
        result_type = child;
        break;
      case NodeKind::kDocumentation:
        break;
      default:
        body = child;
        break;
    }
  }
  Type type;
  if (!result_type.IsNone()) ok = builder_.ResolveType(*tree_, result_type, &class_.generics, type) && ok;
  function.generic_count = class_.generics.size();
  if (body.IsNone()) return;
  Value value = LowerScalar(body);
  if (!value.ok) return;
  if (!result_type.IsNone()) {
    if (!Fit(value, body, type, DimOf(type), "`" + std::string(tree_->Name(node)) + "`")) return;
    value.dim = DimOf(type);
    value.kind = type.kind;
    value.bare = false;
    value.base = type.base;
    value.unit = type.dimension.generics.empty() ? type.unit : "";
  }
  function.result = value;
  function.declared = !result_type.IsNone();
  function.ok = ok;
}

ExprId ClassBuilder::LowerDomainPower(DomainId domain, NodeId node) {
  domain_scope_ = domain;
  Value value = LowerScalar(node);
  domain_scope_.reset();
  if (!value.ok) return ExprId::None();
  Type type;
  type.declared = true;
  type.dimension = Dimension::Of(2, 1, -3);
  type.unit = "W";
  return Fit(value, node, type, DimOf(type), "`power`") ? value.expr : ExprId::None();
}

SymbolId ModelBuilder::IndexSymbol(size_t k) {
  return pool.DeclareSymbol("#" + std::to_string(k + 1), SymbolKind::kIndex);
}

// --- Tables ------------------------------------------------------------------------------------------

namespace {

uint64_t HashOf(std::string_view text) {
  uint64_t h = 14695981039346656037u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

/** A CSV file: the first line names the columns with units, `x [mm], F [N]`. */
struct CsvColumn {
  std::string name, unit;
  std::vector<double> values;
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() &&
         (text.front() == ' ' || text.front() == '\t' || text.front() == '\r' || text.front() == '"'))
    text.remove_prefix(1);
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '"'))
    text.remove_suffix(1);
  return text;
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= 30 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// An empty string on success, otherwise what is wrong.
std::string ReadCsv(std::string_view text, std::vector<CsvColumn>& columns) {
  if (const std::string foreign = ForeignEncoding(text); !foreign.empty()) return foreign;
  size_t line_number = 0, begin = ByteOrderMark(text);
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view line = Trim(text.substr(begin, end - begin));
    begin = end + 1;
    ++line_number;
    if (line.empty() || line[0] == '#') continue;
    const bool head = columns.empty();
    size_t column = 0, at = 0;
    while (at <= line.size()) {
      size_t comma = line.find_first_of(",;", at);
      if (comma == std::string_view::npos) comma = line.size();
      const std::string_view field = Trim(line.substr(at, comma - at));
      at = comma + 1;
      if (head) {
        const size_t bracket = field.find('[');
        CsvColumn c;
        c.name = Trim(field.substr(0, bracket));
        if (bracket != std::string_view::npos && field.back() == ']')
          c.unit = Trim(field.substr(bracket + 1, field.size() - bracket - 2));
        columns.push_back(c);
      } else {
        if (column >= columns.size())
          return "line " + std::to_string(line_number) + " has more fields than the first line";
        const bool negative = !field.empty() && field[0] == '-';
        const std::string_view digits = field.substr(negative || (!field.empty() && field[0] == '+') ? 1 : 0);
        const bool number = !digits.empty() &&
                            digits.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
                            (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'));
        if (!number)
          return "line " + std::to_string(line_number) + ", column " + std::to_string(column + 1) +
                 " is not a number";
        columns[column].values.push_back(negative ? -NumberValue(digits) : NumberValue(digits));
      }
      ++column;
    }
    if (!head && column != columns.size())
      return "line " + std::to_string(line_number) + " has fewer fields than the first line";
  }
  if (columns.empty() || columns[0].values.empty()) return "it holds no data";
  return {};
}

}  // namespace

std::optional<TableId> ModelBuilder::TableNamed(DeclarationId id) {
  const auto known = tables_.find(id.value);
  if (known != tables_.end()) return known->second.IsNone() ? std::nullopt : std::optional(known->second);
  const SyntaxTree& tree = declarations.TreeOf(id);
  const auto table = BuildTable(tree, declarations[id].tree, declarations[id].node);
  tables_[id.value] = table.value_or(TableId::None());
  return table;
}

std::optional<TableId> ModelBuilder::BuildTable(const SyntaxTree& tree, TreeId tree_id, NodeId node) {
  Table table{};
  table.name = Intern(tree.Name(node));
  table.origin = {tree_id, node};
  bool ok = true;
  NodeId data, rows, columns, file;
  for (const NodeId child : tree.Children(node)) {
    switch (tree.kind(child)) {
      case NodeKind::kFunctionParameter: {
        Type type;
        const NodeId type_node = tree.Child(child, NodeKind::kType);
        if (!type_node.IsNone()) ok = ResolveType(tree, type_node, nullptr, type) && ok;
        type.declared = true;
        if (type_node.IsNone()) type.unit = "1";
        table.arguments.push_back(type);
        break;
      }
      case NodeKind::kType:
        ok = ResolveType(tree, child, nullptr, table.result) && ok;
        break;
      case NodeKind::kSetting: {
        const std::string_view name = tree.Name(child);
        const NodeId value = tree[child].first_child;
        if (value.IsNone()) break;
        const std::string_view text = tree.Text(value);
        if (name == "data")
          data = value;
        else if (name == "rows")
          rows = value;
        else if (name == "columns")
          columns = value;
        else if (name == "file")
          file = value;
        else if (name == "interpolation") {
          if (text == "linear")
            table.interpolation = Table::Interpolation::kLinear;
          else if (text == "monotone")
            table.interpolation = Table::Interpolation::kMonotone;
          else if (text == "spline")
            table.interpolation = Table::Interpolation::kSpline;
          else
            diagnostics
                .Report(messages::kTableSetting, tree.SpanOf(value),
                        {"`" + std::string(text) + "` is not an interpolation"})
                .Help("choose linear, monotone or spline");
        } else if (name == "extrapolation") {
          if (text == "hold")
            table.extrapolation = Table::Extrapolation::kHold;
          else if (text == "linear")
            table.extrapolation = Table::Extrapolation::kLinear;
          else if (text == "error")
            table.extrapolation = Table::Extrapolation::kError;
          else
            diagnostics
                .Report(messages::kTableSetting, tree.SpanOf(value),
                        {"`" + std::string(text) + "` is not an extrapolation"})
                .Help("choose hold, linear or error");
        } else {
          auto& report = diagnostics.Report(messages::kTableSetting, tree.NameSpan(child),
                                            {"`" + std::string(name) + "` is not a setting of a table"});
          const std::string_view near =
              Nearest(name, {"data", "file", "rows", "columns", "interpolation", "extrapolation"});
          report.Help(near.empty()
                          ? "the settings are data, file, rows, columns, interpolation, extrapolation"
                          : "did you mean `" + std::string(near) + "`?");
        }
        break;
      }
      default:
        break;
    }
  }
  if (!table.result.declared) {
    table.result.declared = true;
    table.result.unit = "1";
  }
  const std::string table_name = NameText(table.name);
  const size_t errors_before = diagnostics.errors();
  const auto fail = [&](NodeId at, const std::string& what) -> std::optional<TableId> {
    if (diagnostics.errors() > errors_before) return std::nullopt;  // said already, and better
    auto& report = diagnostics.Report(
        messages::kTableData, at.IsNone() ? tree.NameSpan(node) : tree.SpanOf(at), {table_name, what});
    if (!at.IsNone() && tree.kind(at) == NodeKind::kString && at == data)
      report.Help("a CSV file is named by `file = " + std::string(tree.Text(at)) + "`");
    return std::nullopt;
  };
  if (!ok) return std::nullopt;
  if (table.arguments.empty() || table.arguments.size() > 2)
    return fail(NodeId::None(), "a table has one or two arguments");
  ClassBuilder builder(*this, tree_id);
  // A number of a literal, fitted to a type.
  const auto number = [&](NodeId at, const Type& type, double& out) {
    const size_t before = diagnostics.errors();
    Value value = builder.LowerScalar(at);
    if (!value.ok || !builder.Fit(value, at, type, {type.dimension, {}}, "table `" + table_name + "`"))
      return false;
    if (const auto constant = EvaluateConstant(pool, value.expr, {})) {
      out = *constant;
      return true;
    }
    if (!pool.IsNumber(value.expr)) {
      if (diagnostics.errors() == before)
        diagnostics.Report(messages::kNotConstant, tree.SpanOf(at), {tree.Text(at).substr(0, 40)});
      return false;
    }
    out = pool.NumberValue(value.expr);
    return true;
  };
  // The unit behind a list; null if it is none, or does not fit.
  const auto unit_of = [&](NodeId at, const Type& type) -> const UnitResult* {
    const UnitResult& unit = model.units.Lookup(tree.Text(at));
    if (!unit) {
      ReportUnit(tree, at, unit.error());
      return nullptr;
    }
    const std::string where = "table `" + table_name + "`";
    if (unit->dimension != type.dimension.si) {
      diagnostics.Report(messages::kWrongDimension, tree.SpanOf(at),
                         {tree.Text(at), tree.Text(at), where, type.unit});
      return nullptr;
    }
    if (unit->offset != 0 && !IsAbsoluteTemperature(model, type)) {
      diagnostics.Report(messages::kAbsoluteTemperature, tree.SpanOf(at), {tree.Text(at), table_name});
      return nullptr;
    }
    if (KindsClash(unit->kind, type.kind)) {
      diagnostics.Report(messages::kKindClash, tree.SpanOf(at),
                         {tree.Text(at), KindName(unit->kind, unit->dimension), where,
                          KindName(type.kind, unit->dimension), "give its numbers in " + type.unit});
      return nullptr;
    }
    return &unit;
  };
  const auto list = [&](NodeId at, const Type& type, std::vector<double>& out) {
    if (tree.kind(at) != NodeKind::kArray) return false;
    const NodeId unit_node = tree.Child(at, NodeKind::kUnit);
    const UnitResult* unit = unit_node.IsNone() ? nullptr : unit_of(unit_node, type);
    if (!unit_node.IsNone() && unit == nullptr) return false;
    for (const NodeId element : tree.Children(at)) {
      if (tree.kind(element) == NodeKind::kUnit) continue;
      double value = 0;
      if (!number(element, unit == nullptr ? type : Type{}, value)) return false;
      out.push_back(unit == nullptr ? value : (*unit)->ToSi(value));
    }
    return true;
  };
  if (!file.IsNone()) {
    if (tree.kind(file) != NodeKind::kString) return fail(file, "`file` is a path in quotes");
    table.file = StringValue(tree.Name(file));
    const std::string path = PathBeside(model.files[tree.file].path(), table.file);
    const auto text = declarations.reader().Read(path);
    const auto bad = [&](const std::string& what) -> std::optional<TableId> {
      diagnostics.Report(messages::kTableFile, tree.SpanOf(file), {table.file, table_name, what});
      return std::nullopt;
    };
    if (!text && !declarations.reader().refusal().empty()) return bad(declarations.reader().refusal());
    if (!text) return bad("it cannot be read; it was looked for at `" + path + "`");
    table.file_hash = HashOf(*text);
    std::vector<CsvColumn> csv;
    const std::string problem = ReadCsv(*text, csv);
    if (!problem.empty()) return bad(problem);
    if (table.arguments.size() == 2)
      return bad("tables of two arguments are written with rows, columns and data");
    if (csv.size() < 2) return bad("it has one column; two are needed");
    // What stands in the file is not shown unless it is a name with a unit: it may be any file.
    const auto number_of = [&](const CsvColumn& c) { return std::to_string(&c - csv.data() + 1); };
    const auto column = [&](const CsvColumn& c, const Type& type, std::vector<double>& out) {
      double factor = 1, offset = 0;
      if (!c.unit.empty()) {
        const UnitResult& unit = model.units.Lookup(c.unit);
        if (!unit || unit->dimension != type.dimension.si || KindsClash(unit->kind, type.kind)) {
          const bool plain = IsPlainName(c.name) && c.unit.size() <= 20;
          bad("column " +
              (plain ? "`" + c.name + "` is in `" + c.unit + "`" : number_of(c) + " has another unit") +
              ", but " + type.unit + " is wanted");
          return false;
        }
        if (unit->offset != 0 && !IsAbsoluteTemperature(model, type)) {
          bad("column " + number_of(c) + " is in `" + c.unit +
              "`, which is for absolute temperatures only; write the differences in K");
          return false;
        }
        factor = unit->factor;
        offset = unit->offset;
      } else if (!type.dimension.IsOne() || type.kind == KindHint::kAngle) {
        bad("column " + number_of(c) + " has no unit; write [" + type.unit +
            "] behind its name in the first line");
        return false;
      }
      for (const double v : c.values) out.push_back(v * factor + offset);
      return true;
    };
    if (!column(csv[0], table.arguments[0], table.rows) || !column(csv[1], table.result, table.values))
      return std::nullopt;
  } else if (data.IsNone()) {
    return fail(NodeId::None(), "it has no data; write `data = [[x, y], ...]` or `file = \"name.csv\"`");
  } else if (table.arguments.size() == 1) {
    if (tree.kind(data) != NodeKind::kArray) return fail(data, "it must be a list of pairs [[x, y], ...]");
    for (const NodeId pair : tree.Children(data)) {
      std::vector<NodeId> parts;
      if (tree.kind(pair) == NodeKind::kArray) {
        for (const NodeId part : tree.Children(pair)) parts.push_back(part);
      }
      if (parts.size() != 2) return fail(pair, "each row is a pair [x, y]");
      double x = 0, y = 0;
      if (!number(parts[0], table.arguments[0], x) || !number(parts[1], table.result, y)) return std::nullopt;
      table.rows.push_back(x);
      table.values.push_back(y);
    }
  } else {
    if (rows.IsNone() || columns.IsNone())
      return fail(NodeId::None(), "a table of two arguments needs `rows`, `columns` and a matrix `data`");
    if (!list(rows, table.arguments[0], table.rows) || !list(columns, table.arguments[1], table.columns))
      return fail(rows, "`rows` and `columns` are lists of numbers");
    if (tree.kind(data) != NodeKind::kArray) return fail(data, "it must be a matrix [[...], ...]");
    const NodeId unit_node = tree.Child(data, NodeKind::kUnit);
    const UnitResult* unit = unit_node.IsNone() ? nullptr : unit_of(unit_node, table.result);
    if (!unit_node.IsNone() && unit == nullptr) return std::nullopt;
    const Type type = unit == nullptr ? table.result : Type{};
    size_t count = 0;
    for (const NodeId row : tree.Children(data)) {
      if (tree.kind(row) == NodeKind::kUnit) continue;
      std::vector<double> values;
      if (!list(row, type, values)) return fail(row, "each row is a list of numbers");
      if (values.size() != table.columns.size())
        return fail(row, "the row has " + Plural(values.size(), "value") + " for " +
                             Plural(table.columns.size(), "column"));
      for (const double v : values) table.values.push_back(unit == nullptr ? v : (*unit)->ToSi(v));
      ++count;
    }
    if (count != table.rows.size())
      return fail(data,
                  Plural(count, "row") + " of data for " + Plural(table.rows.size(), "value") + " of `rows`");
  }
  if (table.rows.size() < 2) return fail(data, "it needs at least two points");
  const auto rising = [](const std::vector<double>& x) {
    for (size_t i = 1; i < x.size(); ++i) {
      if (!(x[i] > x[i - 1])) return false;
    }
    return true;
  };
  if (!rising(table.rows) || !rising(table.columns))
    return fail(data.IsNone() ? file : data, "its arguments must rise from row to row");
  model.tables.push_back(std::move(table));
  return TableId(model.tables.size() - 1);
}

}  // namespace cotree
