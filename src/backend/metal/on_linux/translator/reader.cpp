// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "backend/metal/on_linux/translator/tokens.hpp"

namespace tw::metal_check {
namespace {

constexpr unsigned most_buffers = 31;

struct Edit {
    std::size_t from, to;
    std::string text;
};

struct Attribute {
    std::string_view name;
    long index = -1;
    const Token* at = nullptr;
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The smallest scalar that memory of this type is made of; what isn't known is taken to be 2 bytes.
unsigned granule_of(std::string_view type) {
    std::string base(type);
    for (const char* word :
         {"const", "volatile", "__global", "__constant", "constant", "__local", "*", "&", " ", "metal::"})
        for (std::size_t at; (at = base.find(word)) != std::string::npos;)
            base.erase(at, std::string_view(word).size());
    while (!base.empty() && base.back() >= '2' && base.back() <= '4') base.pop_back();
    for (const char* name : {"char", "uchar", "bool", "int8_t", "uint8_t"})
        if (base == name) return 1;
    for (const char* name : {"float", "int", "uint", "long", "ulong", "size_t", "int32_t", "uint32_t"})
        if (base == name) return 4;
    return base.starts_with("__msl_atomic") ? 4 : 2;
}

class Reader {
public:
    Reader(std::string_view source, std::string_view file, std::string_view prelude)
        : source_(source), prelude_(prelude), tokens_(cut(source, file)) {}

    Reading read() {
        for (at_ = 0; at_ < tokens_.all.size(); ++at_) {
            if (!ours(token())) continue;
            refuse_metal_keywords();
            if (is("[") && is("[", 1) && is("__attribute__", 2) && is("__kernel", 8)) {  // [[kernel]], macros expanded
                edits_.push_back({token().offset, token(10).offset + 1, "__attribute__((noinline)) __kernel"});
                at_ += 10;
                kernel();
            } else if (is("__kernel")) kernel();
            else if (is("function_constant")) function_constant();
        }
        reading_.annotated = edited() + wrappers();
        return std::move(reading_);
    }

private:
    const Token& token(std::size_t ahead = 0) const {
        static const Token end{};
        return at_ + ahead < tokens_.all.size() ? tokens_.all[at_ + ahead] : end;
    }
    bool is(std::string_view text, std::size_t ahead = 0) const { return token(ahead).text == text; }
    bool ours(const Token& t) const {
        return !contains(tokens_.files[static_cast<std::size_t>(t.file)], prelude_) &&
               !tokens_.files[static_cast<std::size_t>(t.file)].starts_with('<');
    }
    void refuse(const Token& t, const std::string& sentence) {
        reading_.errors.push_back(tokens_.where(t) + ": " + sentence);
    }

    void refuse_metal_keywords() {
        static constexpr std::array words{"fragment",     "vertex",      "visible",  "stitchable",
                                          "intersection", "object_data", "ray_data", "threadgroup_imageblock",
                                          "mesh"};
        if (std::find(words.begin(), words.end(), token().text) != words.end())
            refuse(token(), "'" + std::string(token().text) +
                                "' is a keyword of Metal, or a kind of function that is not compute");
    }

    /// constant T name [[function_constant(n)]];  becomes  extern constant T name;
    void function_constant() {
        std::size_t open = at_, name = at_;
        while (open > 0 && tokens_.all[open].text != "[") --open;
        if (open < 4 || !is("(", 1) || tokens_.all[open - 1].text != "[")
            return refuse(token(), "function_constant belongs in [[ ]]");
        name = open - 2;
        std::size_t start = name;
        while (start > 0 && tokens_.all[start].text != "constant" && tokens_.all[start].text != ";") --start;
        if (tokens_.all[start].text != "constant")
            return refuse(token(), "a function constant is declared 'constant T name [[function_constant(n)]];'");
        const Token &first = tokens_.all[start], &after = token(5);
        FunctionConstant found;
        found.name = tokens_.all[name].text;
        found.index = static_cast<unsigned>(std::stoul(std::string(token(2).text)));
        for (std::size_t i = start + 1; i < name; ++i) found.type += std::string(tokens_.all[i].text);
        reading_.program.constants.push_back(found);
        edits_.push_back({first.offset, first.offset, "extern "});
        edits_.push_back({tokens_.all[open - 1].offset, after.offset + 1, ""});
    }

    void kernel() {
        if (at_ > 1 && tokens_.all[at_ - 1].text == ">")
            return refuse(token(),
                          "a templated kernel can't be read here: name each instance through a macro, "
                          "#define INSTANCE(name, T) kernel void name(...) { body<T>(...); }");
        ++at_;
        if (!is("void")) return refuse(token(), "a kernel returns void, not '" + std::string(token().text) + "'");
        if (!token(1).is_word() || !is("(", 2))
            return refuse(token(), "a kernel's name and its parameters were expected");
        KernelText found;
        found.name = token(1).text;
        const Token& name = token(1);
        at_ += 3;
        std::set<std::pair<int, unsigned>> taken;
        unsigned next_buffer = 0;
        while (!is(")") && at_ < tokens_.all.size()) {
            std::vector<Token> type;
            std::vector<Attribute> attributes;
            parameter_tokens(type, attributes);
            if (is(",")) ++at_;
            if (!type.empty()) add_parameter(found, type, attributes, taken, next_buffer);
        }
        for (const KernelText& other : reading_.program.kernels)
            if (other.name == found.name) refuse(name, "there are two kernels named " + found.name);
        reading_.program.kernels.push_back(std::move(found));
    }

    /// Up to the comma or the parenthesis that ends a parameter.
    void parameter_tokens(std::vector<Token>& type, std::vector<Attribute>& attributes) {
        for (int depth = 0; at_ < tokens_.all.size(); ++at_) {
            if (depth == 0 && (is(",") || is(")"))) return;
            if (is("[") && is("[", 1)) {
                at_ += 2;
                while (!(is("]") && is("]", 1)) && at_ < tokens_.all.size()) {
                    Attribute a{token().text, -1, &token()};
                    if (is("(", 1)) {
                        const std::string number(token(2).text);
                        if (!number.empty() &&
                            std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
                            a.index = std::stol(number);
                        else refuse(token(2), "a plain number was expected as index, not '" + number + "'");
                        at_ += 3;
                    }
                    ++at_;
                    if (is(",")) ++at_;
                    attributes.push_back(a);
                }
                ++at_;  // the loop steps over the second ]
                continue;
            }
            if (is("<") || is("(") || is("[")) ++depth;
            if (is(">") || is(")") || is("]")) --depth;
            type.push_back(token());
        }
    }

    void add_parameter(KernelText& kernel, const std::vector<Token>& words, const std::vector<Attribute>& attributes,
                       std::set<std::pair<int, unsigned>>& taken, unsigned& next_buffer) {
        Parameter p;
        p.name = words.back().text;
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (i > 0 && words[i].is_word() && words[i - 1].is_word()) p.type += ' ';
            p.type += words[i].text;
        }
        const Token& at = words.back();
        const std::string what = "kernel " + kernel.name + ": parameter '" + p.name + "'";
        const bool points = p.type.ends_with('*') || p.type.ends_with('&');
        p.constant = words[0].text == "constant" || contains(p.type, "__constant") || contains(p.type, "constant ");
        p.read_only = p.constant || contains(p.type, "const");
        p.granule = granule_of(p.type);
        if (attributes.size() > 1) refuse(at, what + " has more than one attribute");
        const Attribute attribute = attributes.empty() ? Attribute{} : attributes[0];
        if (attribute.name.empty() || attribute.name == "buffer") {
            p.index = attribute.index >= 0 ? static_cast<unsigned>(attribute.index) : next_buffer;
            next_buffer = p.index + 1;
            if (!points)
                refuse(at, what +
                               " is passed by value: it needs an attribute such as [[thread_position_in_grid]], or to "
                               "be a constant reference");
            else if (!contains(p.type, "__global") && !p.constant)
                refuse(at, what + " must be a pointer or reference to device or constant memory");
            if (p.index >= most_buffers) refuse(at, what + ": there are 31 buffers, numbered 0 to 30");
        } else if (attribute.name == "__local") {  // [[threadgroup(n)]], after the preprocessor
            p.binding = Binding::threadgroup;
            p.index = static_cast<unsigned>(std::max(attribute.index, 0L));
            if (!points || !contains(p.type, "__local")) refuse(at, what + " must be a pointer to threadgroup memory");
            if (p.index >= 8) refuse(at, what + ": threadgroup memory has indices 0 to 7 here");
        } else {
            const auto known = std::find(std::begin(built_ins), std::end(built_ins), attribute.name);
            p.binding = Binding::built_in;
            p.index = static_cast<unsigned>(known - std::begin(built_ins));
            if (known == std::end(built_ins))
                refuse(*attribute.at, what + " has the attribute [[" + std::string(attribute.name) +
                                          "]], which a compute kernel does not know");
            else judge_built_in(at, what, p);
        }
        if (p.binding != Binding::built_in && !taken.insert({static_cast<int>(p.binding), p.index}).second)
            refuse(at, what + " takes index " + std::to_string(p.index) + ", which another parameter has");
        kernel.parameters.push_back(std::move(p));
    }

    void judge_built_in(const Token& at, const std::string& what, const Parameter& p) {
        static constexpr std::array vectors{"uint", "uint2", "uint3", "ushort", "ushort2", "ushort3"};
        const bool scalar_only = p.index >= 6 && p.index <= 10;
        const std::string_view type = p.type;
        const bool fits = std::find(vectors.begin(), vectors.end(), type) != vectors.end() &&
                          !(scalar_only && (type.ends_with('2') || type.ends_with('3')));
        if (!fits)
            refuse(at, what + " is a " + p.type + ": [[" + built_ins[p.index] + "]] is a uint or ushort" +
                           (scalar_only ? "" : ", or a vector of 2 or 3 of them"));
    }

    std::string edited() {
        std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.from < b.from; });
        std::string text;
        std::size_t done = 0;
        for (const Edit& edit : edits_) {
            text += source_.substr(done, edit.from - done);
            text += edit.text;
            done = edit.to;
        }
        return text + std::string(source_.substr(done));
    }

    /// A function for each kernel that takes everything from two tables of addresses and values.
    std::string wrappers() const {
        std::string text = "\n# 1 \"<wrappers>\"\nstruct __msl_ids { uint v[" + std::to_string(std::size(built_ins)) +
                           "][3]; };\nstruct __msl_arguments { ulong buffer[31]; ulong threadgroup_memory[8]; };\n";
        for (const KernelText& kernel : reading_.program.kernels) {
            std::string arguments;
            for (const Parameter& p : kernel.parameters) arguments += (arguments.empty() ? "" : ", ") + argument(p);
            const std::string head = "__attribute__((no_sanitize(\"thread\"))) void __msl_call_" + kernel.name +
                                     "(ulong arguments, ulong ids)";
            text += head + " __asm(\"msl.call." + kernel.name + "\");\n" + head +
                    " {\n  auto a = reinterpret_cast<const __global __msl_arguments*>(arguments);\n"
                    "  auto t = reinterpret_cast<const __global __msl_ids*>(ids);\n  (void)a; (void)t;\n  " +
                    kernel.name + "(" + arguments + ");\n}\n";
        }
        return text;
    }

    static std::string argument(const Parameter& p) {
        const std::string i = std::to_string(p.index);
        if (p.binding == Binding::built_in) {
            const int count = p.type.back() == '2' ? 2 : p.type.back() == '3' ? 3 : 1;
            const std::string value = "t->v[" + i + "]";
            const std::string scalar = p.type.substr(0, p.type.find_first_of("23"));
            if (count == 1) return scalar + "(" + value + "[0])";
            std::string text = "(" + p.type + "){";
            for (int c = 0; c < count; ++c)
                text += (c ? ", " : "") + scalar + "(" + value + "[" + std::to_string(c) + "])";
            return text + "}";
        }
        const std::string place =
            p.binding == Binding::buffer ? "a->buffer[" + i + "]" : "a->threadgroup_memory[" + i + "]";
        if (p.type.ends_with('&'))
            return "*reinterpret_cast<" + p.type.substr(0, p.type.size() - 1) + "*>(" + place + ")";
        return "reinterpret_cast<" + p.type + ">(" + place + ")";
    }

    std::string_view source_, prelude_;
    Tokens tokens_;
    std::size_t at_ = 0;
    std::vector<Edit> edits_;
    Reading reading_;
};

}  // namespace

Reading read_kernels(std::string_view preprocessed, std::string_view file, std::string_view prelude) {
    return Reader(preprocessed, file, prelude).read();
}

std::vector<std::string> foreign_words(std::string_view source, std::string_view file) {
    static constexpr std::array openings{"__builtin_", "__msl_", "get_global_", "get_local_", "get_group_",
                                         "__opencl",   "vload",  "vstore",      "convert_"};
    static constexpr std::array words{
        "__global", "__local", "__private",      "__constant",   "__generic",  "__kernel", "__attribute__", "goto",
        "double",   "virtual", "throw",          "try",          "catch",      "typeid",   "dynamic_cast",  "new",
        "delete",   "printf",  "addrspace_cast", "thread_local", "long double"};
    std::vector<std::string> errors;
    const Tokens tokens = cut(source, file);
    for (std::size_t i = 0; i < tokens.all.size(); ++i) {
        const Token& token = tokens.all[i];
        const auto opens = [&](std::string_view opening) { return token.text.starts_with(opening); };
        if (std::any_of(openings.begin(), openings.end(), opens) ||
            std::find(words.begin(), words.end(), token.text) != words.end())
            errors.push_back(tokens.where(token) + ": '" + std::string(token.text) + "' is no word of Metal");
        // (float4)(x, y, z, w) is OpenCL's spelling; Metal's is float4(x, y, z, w)
        const bool vector = token.is_word() && token.text.size() > 3 && token.text.back() >= '2' &&
                            token.text.back() <= '4' && granule_of(token.text) != 0;
        if (vector && i > 0 && i + 2 < tokens.all.size() && tokens.all[i - 1].text == "(" &&
            tokens.all[i + 1].text == ")" && tokens.all[i + 2].text == "(") {
            int depth = 1;
            bool comma = false;
            for (std::size_t j = i + 3; j < tokens.all.size() && depth > 0; ++j) {
                if (tokens.all[j].text == "(") ++depth;
                if (tokens.all[j].text == ")") --depth;
                comma |= depth == 1 && tokens.all[j].text == ",";
            }
            if (comma)
                errors.push_back(tokens.where(token) + ": (" + std::string(token.text) +
                                 ")(...) is OpenCL's; Metal writes " + std::string(token.text) + "(...)");
        }
    }
    return errors;
}

}  // namespace tw::metal_check
